// Sends what strangers send: too much, too little, and bytes that are no
// message.
#include <memory>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "gtest/gtest.h"
#include "tests/e2e/server/raw_call.h"
#include "tests/e2e/server/stowaged_process.h"
#include "tests/unit/server/rpc/requests.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class StowagedBoundsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.WaitReady()) << server_.output();
    client_ = server_.Connect();
    caller_ = std::make_unique<RawCaller>(server_.grpc_address());
  }

  v1::RegisterNodeRequest Node(const std::string& name) {
    v1::RegisterNodeRequest request;
    request.set_node(name);
    *request.mutable_system() = TwoTiers();
    return request;
  }

  StowagedProcess server_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<RawCaller> caller_;
};

TEST_F(StowagedBoundsTest, EveryMethodRefusesEachFieldBeyondItsBounds) {
  for (const auto* method : ServiceMethods()) {
    for (const Violation& violation : ViolationsOf(*method->input_type())) {
      const absl::Status status = caller_->Call(
          PathOf(*method), violation.request->SerializeAsString());
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument)
          << method->full_name() << " " << violation.field << " "
          << violation.how << ": " << status;
      EXPECT_THAT(std::string(status.message()),
                  StartsWith(violation.field + " "));
    }
  }
}

TEST_F(StowagedBoundsTest, EveryMethodSaysThatBytesAreNoRequest) {
  for (const auto* method : ServiceMethods()) {
    // A field of 127 bytes that ends at once.
    const absl::Status status = caller_->Call(PathOf(*method), "\x0a\x7f");
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument)
        << method->full_name() << ": " << status;
    EXPECT_THAT(
        std::string(status.message()),
        HasSubstr("cannot be read as a " + method->input_type()->full_name()));
  }
}

TEST_F(StowagedBoundsTest, RefusesTextThatIsNoUtf8) {
  for (const char* path : {"/stowage.v1.JobService/GetJob",
                           "/stowage.v1.PlacementService/Place"}) {
    EXPECT_THAT(std::string(caller_->Call(path, "\x0a\x01\xff").message()),
                HasSubstr("UTF-8"));
  }
}

TEST_F(StowagedBoundsTest, TakesIdsInUpperCaseEverywhere) {
  v1::RegisterGraphRequest registration;
  *registration.mutable_graph() = ChainGraph(3);
  const std::string graph_id =
      absl::AsciiStrToUpper(client_->RegisterGraph(registration)->graph_id());
  EXPECT_TRUE(client_->GetGraph(graph_id).ok());
  v1::MakePlanRequest request;
  request.set_graph_id(graph_id);
  *request.mutable_system() = TwoTiers();
  request.set_fast_limit_bytes(int64_t{1} << 30);
  const auto made = client_->MakePlan(request);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(client_->ListPlans(graph_id)->size(), 1);
  const std::string plan_id = absl::AsciiStrToUpper(made->plan_id());
  EXPECT_TRUE(client_->GetPlan(plan_id).ok());
  v1::PlaceRequest place;
  place.set_plan_id(plan_id);
  EXPECT_TRUE(client_->Place()->Send(place).ok());
  ASSERT_TRUE(client_->RegisterNode(Node("host-1")).ok());
  v1::Job job;
  job.set_job_id("j");
  job.set_node("host-1");
  job.set_graph_id(graph_id);
  EXPECT_TRUE(client_->StartJob(job).ok());
  EXPECT_EQ(client_->GetJob("j")->graph_id(), absl::AsciiStrToLower(graph_id));
  EXPECT_TRUE(client_->DeleteGraph(graph_id).ok());
  EXPECT_TRUE(client_->ListGraphs()->empty());
}

// There are 400 nodes of 12 KiB each.
TEST_F(StowagedBoundsTest, PagesFitTheLimitThatClientsHaveOfThemselves) {
  v1::RegisterNodeRequest node = Node("");
  v1::Tier* tier = node.mutable_system()->mutable_tiers(0);
  for (int threads = 2; threads <= 900; ++threads) {
    v1::BandwidthPoint* point = tier->add_read();
    point->set_threads(threads);
    point->set_bytes_per_second(int64_t{1} << 59);
  }
  ASSERT_GT(node.system().ByteSizeLong(), 12 << 10);
  constexpr int kNodes = 400;
  for (int i = 0; i < kNodes; ++i) {
    node.set_node(absl::StrCat("node-", i));
    ASSERT_TRUE(client_->RegisterNode(node).ok());
  }
  const auto stub = v1::NodeService::NewStub(grpc::CreateChannel(
      server_.grpc_address(), grpc::InsecureChannelCredentials()));
  v1::ListNodesRequest request;
  request.set_page_size(1000);
  std::set<std::string> names;
  do {
    grpc::ClientContext context;
    v1::ListNodesResponse response;
    const grpc::Status status = stub->ListNodes(&context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_LT(response.ByteSizeLong(), (1 << 20) + (1 << 10));
    for (const v1::NodeSummary& node : response.nodes()) {
      names.insert(node.node());
    }
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_EQ(names.size(), kNodes);
}

}  // namespace
}  // namespace stowage
