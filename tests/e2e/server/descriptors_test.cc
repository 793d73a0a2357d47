// Runs a service that may open few descriptors with more clients than it can
// take.
#include <deque>
#include <memory>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "gtest/gtest.h"
#include "tests/e2e/server/stowaged_process.h"
#include "tests/unit/network/tcp_connection.h"

namespace stowage {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class StowagedDescriptorsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_->WaitReady()) << server_->output();
    early_ = server_->Connect();
    ASSERT_TRUE(early_->ListGraphs().ok());
    for (int i = 0; i < 200; ++i) crowd_.emplace_back(server_->grpc_address());
    // It is refused, and so were all that came too late before it.
    ASSERT_EQ(crowd_.back().ReceiveAll(), "");
  }

  // Returns whether a client that was not connected before is served in time.
  bool ServesANewcomer(absl::Duration patience) {
    grpc::ChannelArguments arguments;
    // The channel does not share the connection of another client in this
    // process.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 100);
    const auto stub = v1::GraphService::NewStub(grpc::CreateCustomChannel(
        server_->grpc_address(), grpc::InsecureChannelCredentials(),
        arguments));
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    context.set_deadline(absl::ToChronoTime(absl::Now() + patience));
    v1::ListGraphsResponse response;
    return stub->ListGraphs(&context, {}, &response).ok();
  }

  // Lowers the hard limit as well, which the service cannot raise.
  const std::unique_ptr<StowagedProcess> server_ =
      StowagedProcess::Behind("ulimit -n 64; exec \"$@\"");
  std::unique_ptr<Client> early_;
  std::deque<TcpConnection> crowd_;
};

TEST_F(StowagedDescriptorsTest, AcceptsAgainWhenTheCrowdHasGone) {
  EXPECT_FALSE(ServesANewcomer(absl::Seconds(1)));
  crowd_.clear();
  EXPECT_TRUE(ServesANewcomer(absl::Seconds(5)));
}

TEST_F(StowagedDescriptorsTest, GoesOnServingWhoIsConnected) {
  v1::RegisterGraphRequest registration;
  *registration.mutable_graph() = ChainGraph(3);
  EXPECT_TRUE(early_->RegisterGraph(registration).ok());
  EXPECT_THAT(Fetch(server_->metrics_address(), "GET", "/metrics"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"),
                    ContainsRegex("stowaged_refused_connections_total [1-9]")));
}

TEST_F(StowagedDescriptorsTest, ConnectionsThatNeverSpeakMakeWay) {
  // After ten seconds the service closes them.
  EXPECT_TRUE(ServesANewcomer(absl::Seconds(30)));
}

TEST(StowagedDescriptorLimitTest, RefusesALimitThatIsTooLow) {
  const auto server = StowagedProcess::Behind("ulimit -n 40; exec \"$@\"");
  EXPECT_EQ(server->Wait(), 1);
  EXPECT_THAT(server->output(), HasSubstr("ulimit"));
}

}  // namespace
}  // namespace stowage
