#include "daemon/service_manager.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace stowage {
namespace {

// A socket as systemd gives it to the daemons that it starts.
class ServiceManagerTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "notify-" + std::to_string(getpid());
    sockaddr_un address = {.sun_family = AF_UNIX};
    ASSERT_LT(path_.size(), sizeof(address.sun_path));
    path_.copy(address.sun_path, path_.size());
    fd_ = socket(AF_UNIX, SOCK_DGRAM, 0);
    ASSERT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)),
              0);
    setenv("NOTIFY_SOCKET", path_.c_str(), 1);
  }

  void TearDown() override {
    unsetenv("NOTIFY_SOCKET");
    close(fd_);
    unlink(path_.c_str());
  }

  std::string Received() {
    char text[64] = {};
    const ssize_t length = recv(fd_, text, sizeof(text) - 1, MSG_DONTWAIT);
    return length > 0 ? std::string(text, length) : "";
  }

  std::string path_;
  int fd_ = -1;
};

TEST_F(ServiceManagerTest, TellsWhenTheDaemonIsReadyAndWhenItStops) {
  TellReady();
  EXPECT_EQ(Received(), "READY=1");
  TellStopping();
  EXPECT_EQ(Received(), "STOPPING=1");
}

TEST_F(ServiceManagerTest, TellsNothingWhereNobodyAsked) {
  unsetenv("NOTIFY_SOCKET");
  TellReady();
  EXPECT_EQ(Received(), "");
}

TEST_F(ServiceManagerTest, GoesOnWhereNobodyListens) {
  setenv("NOTIFY_SOCKET", "/nowhere/notify", 1);
  TellReady();
  EXPECT_EQ(Received(), "");
}

}  // namespace
}  // namespace stowage
