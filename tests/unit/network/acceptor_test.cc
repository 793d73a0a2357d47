#include "network/acceptor.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage {
namespace {

constexpr int kDescriptors = 64;

// Lowers the limit of descriptors while it lives.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(int limit) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit lower = before_;
    lower.rlim_cur = limit;
    setrlimit(RLIMIT_NOFILE, &lower);
  }
  ~DescriptorLimit() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_ = {};
};

OwnedFd NewSocket() {
  return OwnedFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

class AcceptorTest : public ::testing::Test {
 protected:
  // Accepts connections: sends each client a byte and keeps the connection.
  void Start(const std::string& address, int spare_descriptors = 0) {
    absl::StatusOr<ListeningSockets> listening = Listen(address);
    ASSERT_TRUE(listening.ok()) << listening.status();
    acceptor_ = std::make_unique<Acceptor>(
        *std::move(listening),
        Acceptor::Options{.spare_descriptors = spare_descriptors},
        [this](OwnedFd connection) {
          absl::MutexLock lock(&mutex_);
          held_.push_back(std::move(connection));
          send(held_.back().get(), "!", 1, MSG_NOSIGNAL);
        });
    ASSERT_TRUE(acceptor_->Start().ok());
  }

  void Connect(const OwnedFd& client) {
    sockaddr_in address = {.sin_family = AF_INET};
    const std::string& text = acceptor_->address();
    address.sin_port = htons(std::stoi(text.substr(text.rfind(':') + 1)));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(client.get(), reinterpret_cast<sockaddr*>(&address),
                      sizeof(address)),
              0);
  }

  // Blocks until the connection is accepted, or closed; returns whether it was
  // accepted.
  static bool IsAccepted(const OwnedFd& client) {
    char byte = 0;
    return recv(client.get(), &byte, 1, /*flags=*/0) == 1;
  }

  void CloseAll() {
    absl::MutexLock lock(&mutex_);
    held_.clear();
  }

  absl::Mutex mutex_;
  std::deque<OwnedFd> held_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<Acceptor> acceptor_;
};

TEST_F(AcceptorTest, HandsOverConnections) {
  Start("127.0.0.1:0");
  for (int i = 0; i < 3; ++i) {
    const OwnedFd client = NewSocket();
    Connect(client);
    EXPECT_TRUE(IsAccepted(client));
  }
}

TEST_F(AcceptorTest, ConnectionsSendAtOnceAndNoticePeersThatVanish) {
  Start("127.0.0.1:0");
  const OwnedFd client = NewSocket();
  Connect(client);
  ASSERT_TRUE(IsAccepted(client));
  absl::MutexLock lock(&mutex_);
  const auto option = [&](int name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    int value = 0;
    socklen_t size_bytes = sizeof(value);
    getsockopt(held_.back().get(), IPPROTO_TCP, name, &value, &size_bytes);
    return value;
  };
  EXPECT_EQ(option(TCP_NODELAY), 1);
  EXPECT_EQ(option(TCP_USER_TIMEOUT), 20'000);
}

TEST_F(AcceptorTest, AcceptsWhatWaitedForADescriptor) {
  Start("127.0.0.1:0");
  const OwnedFd client = NewSocket();
  {
    const DescriptorLimit limit(kDescriptors);
    std::deque<OwnedFd> all;
    do {
      all.push_back(NewSocket());
    } while (all.back().valid());
    Connect(client);
  }
  EXPECT_TRUE(IsAccepted(client));
}

TEST_F(AcceptorTest, LeavesDescriptorsToOthers) {
  const DescriptorLimit limit(kDescriptors);
  constexpr int kSpare = 16;
  Start("127.0.0.1:0", kSpare);
  std::deque<OwnedFd> clients;
  do {
    clients.push_back(NewSocket());
    Connect(clients.back());
  } while (IsAccepted(clients.back()));
  std::deque<OwnedFd> others;
  // The client that was refused has one of them.
  while (others.size() < kSpare - 1) {
    others.push_back(NewSocket());
    EXPECT_TRUE(others.back().valid()) << others.size();
  }
  others.clear();
  clients.clear();
  CloseAll();
  const OwnedFd next = NewSocket();
  Connect(next);
  EXPECT_TRUE(IsAccepted(next));
}

TEST_F(AcceptorTest, RemovesTheFileOfItsUnixSocket) {
  agent::TempDirectory directory;
  const std::string path = directory.path() + "/a.sock";
  Start("unix:" + path);
  EXPECT_TRUE(std::filesystem::exists(path));
  acceptor_.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace stowage
