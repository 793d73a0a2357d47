#include "client_sdk/runtime/connection/greeting.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

#include "client_sdk/session/clock.h"
#include "client_sdk/session/descriptor_message.h"

namespace stowage::runtime {
namespace {

constexpr int kTellTimeoutMs = 5'000;
constexpr int kRetryMs = 100;
constexpr int64_t kNsPerMs = 1'000'000;

std::string Errno(const std::string& what) {
  return what + ": " + strerror(errno);
}

// Waits until the agent has answered or hung up. Says after a while that it has
// not. Returns false if it does not within `timeout_ms`.
bool AwaitAnswer(int socket, int timeout_ms) {
  pollfd ready{socket, POLLIN, 0};
  if (poll(&ready, 1, std::min(timeout_ms, kTellTimeoutMs)) > 0) return true;
  if (timeout_ms <= kTellTimeoutMs) return false;
  fprintf(stderr,
          "stowage: the agent has not answered for %d s: it measures a tier, "
          "or waits for fast memory that other jobs give back when their steps "
          "end\n",
          kTellTimeoutMs / 1000);
  return poll(&ready, 1, timeout_ms - kTellTimeoutMs) > 0;
}

// Ends the texts of a message whose sender may not have.
template <size_t N>
void End(char (&text)[N]) {
  text[N - 1] = '\0';
}

void EndTexts(session::Welcome* welcome) {
  End(welcome->error);
  End(welcome->job_id);
  for (session::TierInfo& tier : welcome->tiers) End(tier.name);
}

void ReceiveWelcome(int timeout_ms, AgentAnswer* answer) {
  if (!AwaitAnswer(answer->socket, timeout_ms)) {
    answer->error = "the agent does not answer; look at its log";
    return;
  }
  session::Welcome& welcome = answer->welcome;
  const ssize_t got = session::ReceiveMessage(
      answer->socket, &welcome, sizeof(welcome), &answer->descriptors);
  EndTexts(&welcome);
  if (got == 0 || (got < 0 && errno == ECONNRESET)) {
    answer->peer = Peer::kHungUp;
    answer->error = "the agent hung up before it answered; look at its log";
  } else if (got != sizeof(welcome) || welcome.magic != session::kMagic ||
             welcome.version != session::kVersion) {
    answer->error =
        "the agent speaks another version of the session protocol; install "
        "the same release of agent and plug-in, or build the plug-in for this "
        "PyTorch again: stowage plugin build";
  } else if (!welcome.accepted) {
    answer->error = welcome.error;
  }
}

void ConnectTo(const std::string& path, AgentAnswer* answer) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    answer->error = "the path of the agent's socket is too long: " + path;
    return;
  }
  memcpy(address.sun_path, path.data(), path.size());
  answer->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (answer->socket < 0) {
    answer->error = Errno("socket");
  } else if (connect(answer->socket, reinterpret_cast<sockaddr*>(&address),
                     sizeof(address)) != 0) {
    if (errno == ENOENT) answer->peer = Peer::kNone;
    if (errno == ECONNREFUSED) answer->peer = Peer::kLeftSocket;
    answer->error = Errno("cannot reach the agent at " + path);
  }
}

void Close(AgentAnswer* answer) {
  for (const int fd : answer->descriptors) close(fd);
  answer->descriptors.clear();
  if (answer->socket >= 0) close(answer->socket);
  answer->socket = -1;
}

}  // namespace

AgentAnswer Greet(const std::string& path, const session::Hello& hello,
                  const std::vector<int>& descriptors, int timeout_ms) {
  AgentAnswer answer;
  ConnectTo(path, &answer);
  if (answer.error.empty()) {
    // An agent that is full refuses without having heard anything, and that
    // answer says more than the failure to send does.
    session::SendMessage(answer.socket, &hello, sizeof(hello), descriptors);
    ReceiveWelcome(timeout_ms, &answer);
  }
  if (!answer.error.empty()) Close(&answer);
  return answer;
}

AgentAnswer GreetWithPatience(const std::string& path,
                              const session::Hello& hello, int timeout_ms,
                              int restart_timeout_ms) {
  const int64_t end_ns = session::NowNs() + restart_timeout_ms * kNsPerMs;
  AgentAnswer answer = Greet(path, hello, {}, timeout_ms);
  // Where there is no socket there was no agent.
  if (answer.peer == Peer::kListens || answer.peer == Peer::kNone)
    return answer;
  fprintf(
      stderr,
      "stowage: %s; waiting up to %d s for an agent that is started again\n",
      answer.error.c_str(), restart_timeout_ms / 1000);
  while (answer.peer != Peer::kListens && session::NowNs() < end_ns) {
    poll(nullptr, 0, kRetryMs);
    answer = Greet(path, hello, {}, timeout_ms);
  }
  return answer;
}

}  // namespace stowage::runtime
