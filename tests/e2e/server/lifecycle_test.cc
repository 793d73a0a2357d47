// Checks health, reflection, restart and end of a stowaged.
#include <signal.h>

#include <memory>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "gtest/gtest.h"
#include "health.grpc.pb.h"
#include "reflection.grpc.pb.h"
#include "tests/e2e/server/stowaged_process.h"
#include "tests/unit/network/tcp_connection.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

using ::grpc::health::v1::Health;
using ::grpc::health::v1::HealthCheckRequest;
using ::grpc::health::v1::HealthCheckResponse;
using ::grpc::reflection::v1alpha::ServerReflection;
using ::grpc::reflection::v1alpha::ServerReflectionRequest;
using ::grpc::reflection::v1alpha::ServerReflectionResponse;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

std::shared_ptr<grpc::Channel> ChannelTo(const StowagedProcess& server) {
  return grpc::CreateChannel(server.grpc_address(),
                             grpc::InsecureChannelCredentials());
}

TEST(StowagedLifecycleTest, ReportsThatItServes) {
  StowagedProcess server;
  ASSERT_TRUE(server.WaitReady()) << server.output();
  grpc::ClientContext context;
  HealthCheckResponse response;
  ASSERT_TRUE(Health::NewStub(ChannelTo(server))
                  ->Check(&context, HealthCheckRequest(), &response)
                  .ok());
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
}

TEST(StowagedLifecycleTest, WatchersLearnThatItDrains) {
  StowagedProcess server({"--drain-timeout=1s"});
  ASSERT_TRUE(server.WaitReady()) << server.output();
  auto stub = Health::NewStub(ChannelTo(server));
  grpc::ClientContext context;
  auto watch = stub->Watch(&context, HealthCheckRequest());
  HealthCheckResponse response;
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  server.Signal(SIGTERM);
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  context.TryCancel();
  watch->Finish();
  EXPECT_EQ(server.Wait(), 0);
}

// Answers whether the server says that it serves.
HealthCheckResponse::ServingStatus HealthOf(const StowagedProcess& server) {
  grpc::ClientContext context;
  HealthCheckResponse response;
  Health::NewStub(ChannelTo(server))
      ->Check(&context, HealthCheckRequest(), &response);
  return response.status();
}

TEST(StowagedLifecycleTest, WhoComesWhileItIsNoLongerReadyIsServed) {
  StowagedProcess server({"--drain-delay=1h"});
  ASSERT_TRUE(server.WaitReady()) << server.output();
  const std::unique_ptr<Client> before = server.Connect();
  server.Signal(SIGTERM);
  while (HealthOf(server) != HealthCheckResponse::NOT_SERVING) {
  }
  EXPECT_THAT(Fetch(server.metrics_address(), "GET", "/readyz"),
              HasSubstr(" 503 "));
  EXPECT_THAT(Fetch(server.metrics_address(), "GET", "/healthz"),
              HasSubstr(" 200 "));
  const std::unique_ptr<Client> after = server.Connect();
  v1::RegisterGraphRequest registration;
  *registration.mutable_graph() = ChainGraph(3);
  EXPECT_TRUE(after->RegisterGraph(registration).ok());
  EXPECT_TRUE(before->ListGraphs().ok());
  server.Signal(SIGTERM);  // a second one ends it at once
  EXPECT_EQ(server.Wait(), -SIGTERM);
}

TEST(StowagedLifecycleTest, RefusesNewCallsWhenTheDelayHasPassed) {
  StowagedProcess server({"--drain-delay=1ms", "--drain-timeout=1h"});
  ASSERT_TRUE(server.WaitReady()) << server.output();
  server.Signal(SIGTERM);
  ASSERT_TRUE(server.WaitForOutput("no longer ready"));
  ASSERT_TRUE(server.WaitForOutput("refusing new calls"));
  EXPECT_EQ(server.Wait(), 0);
  EXPECT_FALSE(Client::Connect(server.grpc_address(),
                               {.connect_timeout = absl::Milliseconds(100)})
                   .ok());
}

TEST(StowagedLifecycleTest, EndsWithinItsGracePeriodWhoeverStays) {
  StowagedProcess server({"--grace-period=3s"});
  ASSERT_TRUE(server.WaitReady()) << server.output();
  auto stub = Health::NewStub(ChannelTo(server));
  grpc::ClientContext context;
  auto watch = stub->Watch(&context, HealthCheckRequest());
  HealthCheckResponse response;
  ASSERT_TRUE(watch->Read(&response));
  const absl::Time begin = SteadyNow();
  server.Signal(SIGTERM);
  EXPECT_EQ(server.Wait(), 0);
  EXPECT_LT(SteadyNow() - begin, absl::Seconds(3));
  context.TryCancel();
  watch->Finish();
}

std::set<std::string> Services(const StowagedProcess& server) {
  auto stub = ServerReflection::NewStub(ChannelTo(server));
  grpc::ClientContext context;
  auto stream = stub->ServerReflectionInfo(&context);
  ServerReflectionRequest request;
  request.set_list_services("*");
  stream->Write(request);
  ServerReflectionResponse response;
  stream->Read(&response);
  stream->WritesDone();
  stream->Finish();
  std::set<std::string> names;
  for (const auto& service : response.list_services_response().service()) {
    names.insert(service.name());
  }
  return names;
}

TEST(StowagedLifecycleTest, ReflectionListsTheServices) {
  StowagedProcess server;
  ASSERT_TRUE(server.WaitReady()) << server.output();
  EXPECT_THAT(
      Services(server),
      IsSupersetOf({"stowage.v1.GraphService", "stowage.v1.PlacementService",
                    "stowage.v1.NodeService", "stowage.v1.JobService"}));
}

TEST(StowagedLifecycleTest, ReflectionCanBeTurnedOff) {
  StowagedProcess server({"--reflection=false"});
  ASSERT_TRUE(server.WaitReady()) << server.output();
  EXPECT_TRUE(Services(server).empty());
}

TEST(StowagedLifecycleTest, KeepsGraphsAndPlansOverARestart) {
  TemporaryDirectory directory;
  const std::string db = "--db=" + directory.path() + "/a.db";
  v1::MakePlanRequest request;
  std::string plan_id;
  {
    StowagedProcess server({db});
    ASSERT_TRUE(server.WaitReady()) << server.output();
    std::unique_ptr<Client> client = server.Connect();
    v1::RegisterGraphRequest registration;
    *registration.mutable_graph() = ChainGraph(3);
    request.set_graph_id(client->RegisterGraph(registration)->graph_id());
    request.set_system_name("optane");
    request.set_fast_limit_bytes(int64_t{1} << 30);
    const auto made = client->MakePlan(request);
    ASSERT_TRUE(made.ok()) << made.status();
    plan_id = made->plan_id();
    server.Signal(SIGKILL);  // no chance to tidy up
    EXPECT_EQ(server.Wait(), -SIGKILL);
  }
  StowagedProcess server({db});
  ASSERT_TRUE(server.WaitReady()) << server.output();
  std::unique_ptr<Client> client = server.Connect();
  EXPECT_TRUE(client->GetGraph(request.graph_id()).ok());
  EXPECT_TRUE(client->GetPlan(plan_id).ok());
  EXPECT_EQ(client->MakePlan(request)->plan_id(), plan_id);
}

class StowagedSignalTest : public ::testing::TestWithParam<int> {};

TEST_P(StowagedSignalTest, DrainsOpenStreamsAndExitsWithZero) {
  StowagedProcess server({"--drain-timeout=1s"});
  ASSERT_TRUE(server.WaitReady()) << server.output();
  std::unique_ptr<Client> client = server.Connect({.max_attempts = 1});
  v1::RegisterNodeRequest node;
  node.set_node("host-1");
  *node.mutable_system() = TwoTiers();
  ASSERT_TRUE(client->RegisterNode(node).ok());
  std::unique_ptr<TelemetryStream> stream = client->StreamTelemetry();
  v1::TelemetryBatch batch;
  batch.set_node("host-1");
  batch.set_sequence(1);
  ASSERT_TRUE(stream->Send(batch).ok());
  server.Signal(GetParam());
  EXPECT_EQ(server.Wait(), 0) << server.output();
  batch.set_sequence(2);
  const absl::Status status = stream->Send(batch).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("shutting down"));
}

INSTANTIATE_TEST_SUITE_P(Signals, StowagedSignalTest,
                         ::testing::Values(SIGTERM, SIGINT));

}  // namespace
}  // namespace stowage
