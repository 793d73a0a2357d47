// Shows what a stowaged writes down of calls, and how a client finds its own.
#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "gtest/gtest.h"
#include "stowage/v1/graphs.grpc.pb.h"
#include "stowage/v1/job.grpc.pb.h"
#include "stowage/v1/node.grpc.pb.h"
#include "tests/e2e/server/raw_call.h"
#include "tests/e2e/server/stowaged_process.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kKey[] = "x-request-id";

class AuditTest : public testing::Test {
 protected:
  AuditTest() : server_({"--log-format=json"}) {
    EXPECT_TRUE(server_.WaitReady()) << server_.output();
    channel_ = grpc::CreateChannel(server_.grpc_address(),
                                   grpc::InsecureChannelCredentials());
  }

  static std::string IdIn(const grpc::ClientContext& context) {
    const auto& metadata = context.GetServerTrailingMetadata();
    const auto found = metadata.find(kKey);
    if (found == metadata.end()) return "";
    return std::string(found->second.data(), found->second.size());
  }

  // Returns the line of the call with this id, which is written before the
  // client has its answer.
  nlohmann::json LineOf(const std::string& request_id) {
    EXPECT_TRUE(server_.WaitForOutput("\"request_id\":\"" + request_id + "\""));
    EXPECT_TRUE(server_.WaitForOutput("}\n"));
    std::istringstream lines(server_.output());
    for (std::string line; std::getline(lines, line);) {
      nlohmann::json json = nlohmann::json::parse(line);
      if (json.value("request_id", "") == request_id) return json;
    }
    return {};
  }

  // Returns what was written before a call that this makes.
  std::string OutputSoFar() {
    const std::string id = "end-of-output";
    grpc::ClientContext context;
    context.AddMetadata(kKey, id);
    v1::DeleteGraphRequest request;
    v1::DeleteGraphResponse response;
    v1::GraphService::NewStub(channel_)->DeleteGraph(&context, request,
                                                     &response);
    LineOf(id);
    return server_.output();
  }

  StowagedProcess server_;
  std::shared_ptr<grpc::Channel> channel_;
};

TEST_F(AuditTest, ALineOfAMutationSaysWhoDidWhatToWhich) {
  grpc::ClientContext context;
  context.AddMetadata(kKey, "mine-1");
  v1::RegisterGraphRequest request;
  *request.mutable_graph() = ChainGraph(3);
  v1::RegisterGraphResponse response;
  ASSERT_TRUE(v1::GraphService::NewStub(channel_)
                  ->RegisterGraph(&context, request, &response)
                  .ok());
  EXPECT_EQ(IdIn(context), "mine-1");
  const nlohmann::json line = LineOf("mine-1");
  EXPECT_EQ(line["level"], "info");
  EXPECT_EQ(line["method"], "stowage.v1.GraphService/RegisterGraph");
  EXPECT_EQ(line["code"], "OK");
  EXPECT_EQ(line["caller"], "plaintext peer");
  EXPECT_EQ(line["role"], "operator");
  EXPECT_THAT(line["peer"].get<std::string>(), StartsWith("ipv4:127.0.0.1:"));
  EXPECT_EQ(line["graph_id"], response.graph_id());
}

TEST_F(AuditTest, AMutationThatIsRefusedHasALineWithItsReason) {
  grpc::ClientContext context;
  v1::FinishJobRequest request;
  request.set_job_id("no\nsuch\"job");
  v1::FinishJobResponse response;
  ASSERT_FALSE(v1::JobService::NewStub(channel_)
                   ->FinishJob(&context, request, &response)
                   .ok());
  const std::string id = IdIn(context);
  EXPECT_FALSE(id.empty());
  const nlohmann::json line = LineOf(id);
  EXPECT_EQ(line["code"], "INVALID_ARGUMENT");
  EXPECT_EQ(line["job_id"], "no\nsuch\"job");
  EXPECT_THAT(line["reason"].get<std::string>(), HasSubstr("job_id"));
}

TEST_F(AuditTest, AnIdThatIsNoneIsReplaced) {
  for (const std::string& bad : {std::string(200, 'x'), std::string("a b")}) {
    grpc::ClientContext context;
    context.AddMetadata(kKey, bad);
    v1::ListGraphsResponse response;
    ASSERT_TRUE(v1::GraphService::NewStub(channel_)
                    ->ListGraphs(&context, v1::ListGraphsRequest(), &response)
                    .ok());
    EXPECT_FALSE(IdIn(context).empty());
    EXPECT_NE(IdIn(context), bad);
  }
}

TEST_F(AuditTest, ReadsAndHeartbeatsHaveNoLine) {
  const std::unique_ptr<Client> client = server_.Connect();
  EXPECT_TRUE(client->ListGraphs().ok());
  EXPECT_FALSE(client->GetGraph(std::string(64, 'a')).ok());
  grpc::ClientContext context;
  v1::HeartbeatResponse response;
  v1::HeartbeatRequest request;
  request.set_node("n");
  v1::NodeService::NewStub(channel_)->Heartbeat(&context, request, &response);
  EXPECT_FALSE(IdIn(context).empty());
  const std::string output = OutputSoFar();
  EXPECT_THAT(output, Not(HasSubstr("GetGraph")));
  EXPECT_THAT(output, Not(HasSubstr("ListGraphs")));
  EXPECT_THAT(output, Not(HasSubstr("Heartbeat")));
}

TEST_F(AuditTest, ALogThatNobodyReadsHoldsUpNobody) {
  const std::string id(64, 'a');
  const std::unique_ptr<Client> client = server_.Connect();
  // More than a pipe takes.
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(client->DeleteGraph(id).ok());
  }
  std::atomic<bool> is_told = false;
  std::thread writer([&] {
    while (!is_told) client->DeleteGraph(id).IgnoreError();
  });
  EXPECT_TRUE(server_.WaitForOutput("log lines were lost"));
  is_told = true;
  writer.join();
}

TEST_F(AuditTest, ARequestThatNobodyCanReadHasALineToo) {
  RawCaller caller(channel_);
  const absl::Status status =
      caller.Call("/stowage.v1.GraphService/DeleteGraph", "\xff\xff");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(server_.WaitForOutput("GraphService/DeleteGraph"));
  EXPECT_TRUE(server_.WaitForOutput("INVALID_ARGUMENT"));
}

}  // namespace
}  // namespace stowage
