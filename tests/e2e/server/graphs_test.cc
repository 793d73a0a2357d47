// Sends graphs over the wire: kept, listed, refused.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "gtest/gtest.h"
#include "tests/e2e/server/stowaged_process.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

v1::RegisterGraphRequest Registration(const v1::Graph& graph,
                                      const std::string& request_id = "") {
  v1::RegisterGraphRequest request;
  *request.mutable_graph() = graph;
  request.set_request_id(request_id);
  return request;
}

class StowagedGraphsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.WaitReady()) << server_.output();
    client_ = server_.Connect();
    stub_ = v1::GraphService::NewStub(grpc::CreateChannel(
        server_.grpc_address(), grpc::InsecureChannelCredentials()));
  }

  absl::StatusOr<v1::ListGraphsResponse> Page(int size,
                                              const std::string& token) {
    grpc::ClientContext context;
    v1::ListGraphsRequest request;
    request.set_page_size(size);
    request.set_page_token(token);
    v1::ListGraphsResponse response;
    const grpc::Status status = stub_->ListGraphs(&context, request, &response);
    if (!status.ok()) return FromGrpcStatus(status);
    return response;
  }

  StowagedProcess server_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<v1::GraphService::Stub> stub_;
};

TEST_F(StowagedGraphsTest, AGraphComesBackAsItWasRegistered) {
  const auto registered = client_->RegisterGraph(Registration(ChainGraph(3)));
  ASSERT_TRUE(registered.ok()) << registered.status();
  EXPECT_TRUE(registered->created());
  EXPECT_EQ(client_->GetGraph(registered->graph_id())->SerializeAsString(),
            ChainGraph(3).SerializeAsString());
  const v1::GraphSummary summary = client_->ListGraphs()->front();
  EXPECT_EQ(summary.kernel_count(), 3);
  EXPECT_EQ(summary.tensor_count(), 4);
  EXPECT_EQ(summary.peak_bytes(), 3 * kChainTensorBytes);
  EXPECT_GT(summary.updated_at().seconds(), 0);
}

TEST_F(StowagedGraphsTest, TheSameStructureIsOneGraphWithTheNewestProfile) {
  v1::Graph faster = ChainGraph(3);
  faster.mutable_kernels(0)
      ->mutable_profile()
      ->mutable_fast_inputs_fast_outputs()
      ->set_duration_ns(5);
  const auto first = client_->RegisterGraph(Registration(ChainGraph(3), "r1"));
  const auto second = client_->RegisterGraph(Registration(faster, "r2"));
  const auto retry = client_->RegisterGraph(Registration(faster, "r1"));
  EXPECT_EQ(first->graph_id(), second->graph_id());
  EXPECT_FALSE(second->created());
  EXPECT_TRUE(retry->created());
  EXPECT_EQ(client_->GetGraph(first->graph_id())
                ->kernels(0)
                .profile()
                .fast_inputs_fast_outputs()
                .duration_ns(),
            5);
}

TEST_F(StowagedGraphsTest, RefusesMalformedGraphsAndStoresNothing) {
  v1::Graph operand = ChainGraph(3);
  operand.mutable_kernels(1)->mutable_operands(0)->set_tensor(99);
  v1::Graph size = ChainGraph(3);
  size.mutable_tensors(2)->set_size_bytes(-1);
  v1::Graph version = ChainGraph(3);
  version.set_schema_version(2);
  const std::vector<std::pair<v1::Graph, std::string>> cases = {
      {operand, "99"}, {size, "-1"}, {version, "schema_version"}};
  for (const auto& [graph, message] : cases) {
    const absl::Status status =
        client_->RegisterGraph(Registration(graph)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr(message));
  }
  EXPECT_TRUE(client_->ListGraphs()->empty());
}

TEST_F(StowagedGraphsTest, RefusesGraphsBeyondTheLimits) {
  v1::Graph kernels = ChainGraph(1);
  for (int i = 0; i < 1'000'000; ++i) kernels.add_kernels();
  EXPECT_EQ(client_->RegisterGraph(Registration(kernels)).status().code(),
            absl::StatusCode::kResourceExhausted);
  v1::Graph bytes = ChainGraph(1);
  bytes.set_source(std::string((256 << 20) + 1, 'x'));
  EXPECT_EQ(client_->RegisterGraph(Registration(bytes)).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(client_->ListGraphs()->empty());
}

TEST_F(StowagedGraphsTest, TellsMalformedIdsFromUnknownOnes) {
  for (const std::string& id : {std::string("abc"), std::string(64, 'g')}) {
    EXPECT_TRUE(absl::IsInvalidArgument(client_->GetGraph(id).status()));
    EXPECT_TRUE(absl::IsInvalidArgument(client_->DeleteGraph(id)));
  }
  EXPECT_TRUE(
      absl::IsNotFound(client_->GetGraph(std::string(64, 'a')).status()));
}

TEST_F(StowagedGraphsTest, DeletingTwiceSucceeds) {
  const std::string id =
      client_->RegisterGraph(Registration(ChainGraph(3)))->graph_id();
  EXPECT_TRUE(client_->DeleteGraph(id).ok());
  EXPECT_TRUE(client_->DeleteGraph(id).ok());
  EXPECT_TRUE(absl::IsNotFound(client_->GetGraph(id).status()));
}

TEST_F(StowagedGraphsTest, PagesHoldEveryGraphOnce) {
  for (int kernels = 1; kernels <= 5; ++kernels) {
    ASSERT_TRUE(client_->RegisterGraph(Registration(ChainGraph(kernels))).ok());
  }
  std::vector<std::string> ids;
  std::string token;
  do {
    const auto page = Page(2, token);
    ASSERT_TRUE(page.ok()) << page.status();
    for (const auto& graph : page->graphs()) ids.push_back(graph.graph_id());
    token = page->next_page_token();
  } while (!token.empty());
  EXPECT_EQ(ids.size(), 5);
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

TEST_F(StowagedGraphsTest, RefusesPagesThatAreNotOurs) {
  EXPECT_TRUE(absl::IsInvalidArgument(Page(2, "not-ours").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Page(-1, "").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Page(1001, "").status()));
}

}  // namespace
}  // namespace stowage
