// A service that may open few descriptors, and more clients than it can take.
#include <signal.h>

#include <deque>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/server/stowaged_process.h"
#include "tests/unit/network/tcp_connection.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class StowagedDescriptorsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_->WaitReady()) << server_->output();
    early_ = server_->Connect();
    ASSERT_TRUE(early_->ListGraphs().ok());
    for (int i = 0; i < 200; ++i) crowd_.emplace_back(server_->grpc_address());
  }

  // The hard limit as well, which the service cannot raise.
  const std::unique_ptr<StowagedProcess> server_ =
      StowagedProcess::Behind("ulimit -n 64; exec \"$@\"");
  std::unique_ptr<Client> early_;
  std::deque<TcpConnection> crowd_;
};

TEST_F(StowagedDescriptorsTest, AcceptsAgainWhenTheCrowdHasGone) {
  crowd_.clear();
  const auto late = Client::Connect(server_->grpc_address(),
                                    {.connect_timeout = absl::Seconds(2)});
  ASSERT_TRUE(late.ok()) << late.status();
  EXPECT_TRUE((*late)->ListGraphs().ok());
}

TEST_F(StowagedDescriptorsTest, GoesOnServingWhoIsConnected) {
  v1::RegisterGraphRequest registration;
  *registration.mutable_graph() = ChainGraph(3);
  EXPECT_TRUE(early_->RegisterGraph(registration).ok());
  const std::string metrics =
      Fetch(server_->metrics_address(), "GET", "/metrics");
  EXPECT_THAT(metrics, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(metrics, HasSubstr("stowaged_refused_connections_total 1"));
  server_->Signal(SIGTERM);
  EXPECT_EQ(server_->Wait(), 0) << server_->output();
}

TEST_F(StowagedDescriptorsTest, ConnectionsThatNeverSpeakAreClosed) {
  // After ten seconds, by the service.
  const auto late = Client::Connect(server_->grpc_address(),
                                    {.connect_timeout = absl::Seconds(30)});
  ASSERT_TRUE(late.ok()) << late.status();
  EXPECT_TRUE((*late)->ListGraphs().ok());
}

TEST(StowagedDescriptorLimitTest, RefusesALimitThatIsTooLow) {
  const auto server = StowagedProcess::Behind("ulimit -n 40; exec \"$@\"");
  EXPECT_EQ(server->Wait(), 1);
  EXPECT_THAT(server->output(), HasSubstr("ulimit"));
}

}  // namespace
}  // namespace stowage
