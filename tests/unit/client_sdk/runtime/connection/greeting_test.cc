#include "client_sdk/runtime/connection/greeting.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "client_sdk/session/descriptor_message.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/temp_directory.h"
#include "tests/unit/client_sdk/runtime/fake_agent.h"

namespace stowage::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kTimeoutMs = 60'000;

// An agent of which a test controls when it listens and what it does.
class Listener {
 public:
  explicit Listener(const std::string& path)
      : socket_(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(
        bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)),
        0);
    EXPECT_EQ(listen(socket_, /*backlog=*/8), 0);
  }
  ~Listener() { close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Takes one process's greeting, and hangs up.
  void HangUpOnOne() {
    const int connection = accept(socket_, nullptr, nullptr);
    Hear(connection);
    close(connection);
  }

  // Takes one process's greeting, and accepts it.
  void AcceptOne() { AnswerOne({.accepted = 1}); }

  // Takes one process's greeting, and answers it.
  void AnswerOne(session::Welcome welcome) {
    const int connection = accept(socket_, nullptr, nullptr);
    Hear(connection);
    welcome.magic = session::kMagic;
    welcome.version = session::kVersion;
    session::SendMessage(connection, &welcome, sizeof(welcome), {});
    close(connection);
  }

 private:
  static void Hear(int connection) {
    session::Hello hello;
    std::vector<int> none;
    session::ReceiveMessage(connection, &hello, sizeof(hello), &none);
  }

  const int socket_;
};

class GreetingTest : public ::testing::Test {
 protected:
  // Leaves a socket that nobody listens at, as an agent does that is killed.
  void LeaveSocket() { const Listener killed(path_); }

  AgentAnswer GreetFor(int restart_timeout_ms) {
    return GreetWithPatience(path_, FakeAgent::Hello(), kTimeoutMs,
                             restart_timeout_ms);
  }

  agent::TempDirectory directory_;
  const std::string path_ = directory_.path() + "/agent.sock";
};

TEST_F(GreetingTest, WaitsForAnAgentThatWasKilledAndComesBack) {
  LeaveSocket();
  std::thread restarted([this] {
    // At no instant is there no socket.
    Listener agent(path_ + ".new");
    rename((path_ + ".new").c_str(), path_.c_str());
    agent.AcceptOne();
  });
  const AgentAnswer answer = GreetFor(kTimeoutMs);
  restarted.join();
  EXPECT_THAT(answer.error, IsEmpty());
  EXPECT_EQ(answer.welcome.accepted, 1u);
  close(answer.socket);
}

TEST_F(GreetingTest, GreetsAnAgentAgainThatHangsUpInsteadOfAnswering) {
  Listener agent(path_);
  std::thread served([&agent] {
    agent.HangUpOnOne();
    agent.AcceptOne();
  });
  const AgentAnswer answer = GreetFor(kTimeoutMs);
  served.join();
  EXPECT_THAT(answer.error, IsEmpty());
  close(answer.socket);
}

TEST_F(GreetingTest, GivesUpOnAnAgentThatDoesNotComeBack) {
  LeaveSocket();
  const AgentAnswer answer = GreetFor(/*restart_timeout_ms=*/300);
  EXPECT_EQ(answer.peer, Peer::kLeftSocket);
  EXPECT_THAT(answer.error, HasSubstr("Connection refused"));
  EXPECT_EQ(answer.socket, -1);
}

TEST_F(GreetingTest, EndsTheTextsOfAnAgentThatDidNot) {
  Listener agent(path_);
  session::Welcome welcome{};
  memset(welcome.error, 'e', sizeof(welcome.error));
  memset(welcome.job_id, 'j', sizeof(welcome.job_id));
  std::thread answer([&] { agent.AnswerOne(welcome); });
  EXPECT_EQ(GreetFor(/*restart_timeout_ms=*/0).error,
            std::string(sizeof(welcome.error) - 1, 'e'));
  answer.join();
}

TEST_F(GreetingTest, DoesNotWaitWhereThereWasNoAgent) {
  const AgentAnswer answer = GreetFor(/*restart_timeout_ms=*/1'000'000'000);
  EXPECT_EQ(answer.peer, Peer::kNone);
  EXPECT_THAT(answer.error, HasSubstr("cannot reach the agent at " + path_));
}

}  // namespace
}  // namespace stowage::runtime
