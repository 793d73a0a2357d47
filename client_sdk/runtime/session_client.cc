#include "client_sdk/runtime/session_client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

#include "client_sdk/session/descriptor_message.h"
#include "client_sdk/session/page_sums.h"

namespace stowage::runtime {
namespace {

// A little longer than the agent waits for other jobs.
constexpr int kAnswerTimeoutMs = 75'000;
constexpr int kTellTimeoutMs = 5'000;
// A job that comes back waits for no other job.
constexpr int kComeBackTimeoutMs = 5'000;

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

// Receives `welcome` and the descriptors that travel with it.
std::string ReceiveWelcome(int socket, int timeout_ms,
                           session::Welcome* welcome, std::vector<int>* fds) {
  if (!AwaitAnswer(socket, timeout_ms)) {
    return "the agent does not answer; look at its log";
  }
  const ssize_t got =
      session::ReceiveMessage(socket, welcome, sizeof(*welcome), fds);
  if (got == 0) return "the agent hung up";
  if (got != sizeof(*welcome) || welcome->magic != session::kMagic ||
      welcome->version != session::kVersion) {
    return "the agent speaks another version of the session protocol; install "
           "the same release of agent and plug-in";
  }
  return "";
}

// Connects `socket` to the agent. Returns what went wrong, or an empty string.
std::string ConnectTo(const std::string& path, int* socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return "the path of the agent's socket is too long: " + path;
  }
  memcpy(address.sun_path, path.data(), path.size());
  *socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (*socket < 0) return Errno("socket");
  if (connect(*socket, reinterpret_cast<sockaddr*>(&address),
              sizeof(address)) != 0) {
    return Errno("cannot reach the agent at " + path);
  }
  return "";
}

}  // namespace

std::string SessionClient::Connect(const std::string& socket_path,
                                   const session::Hello& hello) {
  socket_path_ = socket_path;
  hello_ = hello;
  int socket = -1;
  std::string error = ConnectTo(socket_path, &socket);
  socket_ = socket;
  if (!error.empty()) return error;
  // An agent that is full refuses without having heard anything.
  const bool heard = session::SendMessage(socket_, &hello, sizeof(hello), {});
  const std::string not_heard = Errno("cannot send to the agent");
  std::vector<int> fds;
  error = ReceiveWelcome(socket_, kAnswerTimeoutMs, &welcome_, &fds);
  if (!error.empty()) return heard ? error : not_heard;
  if (!welcome_.accepted) return welcome_.error;
  return Map(fds);
}

bool SessionClient::AgentMayBeBack() const {
  return access(socket_path_.c_str(), F_OK) == 0;
}

bool SessionClient::ComeBack(const session::LimitOrder& limit,
                             std::string* error) {
  error->clear();
  session::Hello hello = hello_;
  hello.comes_back = 1;
  hello.limit = limit;
  memcpy(hello.job_id, welcome_.job_id, sizeof(hello.job_id));
  std::vector<int> fds = {segment_fd_};
  for (const MappedTier& tier : tiers_) fds.push_back(tier.fd);
  if (sums_fd_ >= 0) fds.push_back(sums_fd_);
  int socket = -1;
  const bool reached = ConnectTo(socket_path_, &socket).empty();
  session::Welcome welcome{};
  if (reached) {
    // An answer comes all the same.
    session::SendMessage(socket, &hello, sizeof(hello), fds);
    std::vector<int> none;
    *error = ReceiveWelcome(socket, kComeBackTimeoutMs, &welcome, &none);
    if (error->empty() && !welcome.accepted) *error = welcome.error;
    if (error->empty() && !Suits(welcome)) {
      *error = "its tiers are other ones than those of the agent before it";
    }
  }
  if (!reached || !error->empty()) {
    if (socket >= 0) close(socket);
    return false;
  }
  if (socket_ >= 0) close(socket_);
  socket_ = socket;
  welcome_ = welcome;
  alive_ = true;
  return true;
}

bool SessionClient::Suits(const session::Welcome& welcome) const {
  if (welcome.tier_count != tiers_.size()) return false;
  for (size_t i = 0; i < tiers_.size(); ++i) {
    const session::TierInfo& now = welcome.tiers[i];
    const session::TierInfo& before = tiers_[i].info;
    if (now.flags != before.flags ||
        now.capacity_bytes != before.capacity_bytes ||
        strncmp(now.name, before.name, sizeof(now.name)) != 0) {
      return false;
    }
  }
  return true;
}

std::string SessionClient::Map(const std::vector<int>& fds) {
  if (welcome_.tier_count < 2 || welcome_.tier_count > session::kMaxTiers ||
      fds.size() != welcome_.tier_count + 1 + welcome_.has_sums ||
      welcome_.segment_bytes < sizeof(session::Segment)) {
    return "the agent's welcome is malformed";
  }
  void* mapped = mmap(nullptr, sizeof(session::Segment), PROT_READ | PROT_WRITE,
                      MAP_SHARED, fds[0], 0);
  segment_fd_ = fds[0];
  if (mapped == MAP_FAILED) return Errno("cannot map the session segment");
  segment_ = static_cast<session::Segment*>(mapped);

  for (uint32_t i = 0; i < welcome_.tier_count; ++i) {
    MappedTier tier{welcome_.tiers[i], fds[i + 1], nullptr};
    const size_t bytes = tier.info.capacity_bytes;
    mapped = tier.addressable()
                 ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE, tier.fd, 0)
                 : mmap(nullptr, bytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return Errno("cannot map a tier's arena");
    // Hosts that forbid it for shared memory say so, or do nothing.
    if (tier.addressable()) madvise(mapped, bytes, MADV_HUGEPAGE);
    tier.base = static_cast<char*>(mapped);
    tiers_.push_back(tier);
  }
  if (welcome_.has_sums != 0) {
    sums_fd_ = fds.back();
    const std::string error = MapSums(&tiers_.back());
    if (!error.empty()) return error;
  }
  alive_ = true;
  return "";
}

std::string SessionClient::MapSums(MappedTier* tier) const {
  void* mapped =
      mmap(nullptr, session::PageSums::TableBytes(tier->info.capacity_bytes),
           PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, sums_fd_, 0);
  if (mapped == MAP_FAILED) return Errno("cannot map the checksums");
  tier->sums = static_cast<std::atomic<uint64_t>*>(mapped);
  return "";
}

bool SessionClient::AgentAlive() {
  if (!alive_) return false;
  char byte;
  const ssize_t got =
      recv(socket_, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
    alive_ = false;
  }
  return alive_;
}

void SessionClient::CloseSocket() {
  alive_ = false;
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

}  // namespace stowage::runtime
