#include "client_sdk/runtime/connection/session_client.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client_sdk/runtime/connection/greeting.h"
#include "client_sdk/session/page_sums.h"

namespace stowage::runtime {
namespace {

// A little longer than the agent waits for other jobs.
constexpr int kAnswerTimeoutMs = 75'000;
// An agent that its supervisor starts again is back by then.
constexpr int kRestartTimeoutMs = 10'000;
// A job that comes back waits for no other job.
constexpr int kComeBackTimeoutMs = 5'000;

std::string Errno(const std::string& what) {
  return what + ": " + strerror(errno);
}

}  // namespace

std::string SessionClient::Connect(const std::string& socket_path,
                                   const session::Hello& hello) {
  socket_path_ = socket_path;
  hello_ = hello;
  const AgentAnswer answer = GreetWithPatience(
      socket_path, hello, kAnswerTimeoutMs, kRestartTimeoutMs);
  if (!answer.error.empty()) return answer.error;
  socket_ = answer.socket;
  welcome_ = answer.welcome;
  return Map(answer.descriptors);
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
  const AgentAnswer answer =
      Greet(socket_path_, hello, fds, kComeBackTimeoutMs);
  if (answer.peer == Peer::kNone || answer.peer == Peer::kLeftSocket) {
    return false;
  }
  *error = answer.error;
  if (error->empty() && !Suits(answer.welcome)) {
    *error = "its tiers are other ones than those of the agent before it";
  }
  if (!error->empty()) {
    if (answer.socket >= 0) close(answer.socket);
    return false;
  }
  if (socket_ >= 0) close(socket_);
  socket_ = answer.socket;
  welcome_ = answer.welcome;
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
    if (mapped == MAP_FAILED) {
      return Errno("cannot map the " + std::to_string(bytes) +
                   " bytes of tier " + tier.info.name) +
             "; a limit on address space (ulimit -v) may be too low";
    }
    // Hosts that forbid it for shared memory say so, or do nothing.
    if (tier.addressable()) madvise(mapped, bytes, MADV_HUGEPAGE);
    tier.base = static_cast<char*>(mapped);
    tiers_.push_back(tier);
  }
  if (welcome_.has_sums != 0) {
    sums_fd_ = fds.back();
    std::string error = MapSums(&tiers_.back());
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
