// Plays a job that sends anything to an agent and writes anything into its
// segment.
//
//   HostileJob job(socket_path);
//   job.Send(bytes, descriptors);
//   if (job.Receive()) job.segment()->profiles_written = 1;
#ifndef STOWAGE_TESTS_FUZZ_HOSTILE_JOB_H_
#define STOWAGE_TESTS_FUZZ_HOSTILE_JOB_H_

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/jobs/records/fixed_text.h"
#include "agents/tiers/owned_fd.h"
#include "client_sdk/session/descriptor_message.h"
#include "client_sdk/session/session.h"
#include "tests/fuzz/require.h"

namespace stowage::agent {

// Not thread-safe.
class HostileJob {
 public:
  explicit HostileJob(const std::string& socket_path)
      : socket_(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    SetText(address.sun_path, socket_path);
    Require(connect(socket_.get(), reinterpret_cast<sockaddr*>(&address),
                    sizeof(address)) == 0,
            "the agent listens");
  }
  ~HostileJob() {
    if (segment_ != nullptr) munmap(segment_, sizeof(session::Segment));
  }
  HostileJob(const HostileJob&) = delete;
  HostileJob& operator=(const HostileJob&) = delete;

  void Send(std::string_view bytes, const std::vector<int>& descriptors) {
    session::SendMessage(socket_.get(), bytes.data(), bytes.size(),
                         descriptors);
  }

  // Waits a moment for the answer. Returns whether the agent has accepted the
  // job, which then has a segment.
  bool Receive() {
    constexpr int kPatienceMs = 60;
    pollfd ready{socket_.get(), POLLIN, 0};
    if (poll(&ready, 1, kPatienceMs) <= 0) return false;
    session::Welcome welcome{};
    std::vector<int> received;
    const ssize_t size = session::ReceiveMessage(socket_.get(), &welcome,
                                                 sizeof(welcome), &received);
    for (const int fd : received) fds_.emplace_back(fd);
    if (size != sizeof(welcome) || welcome.magic != session::kMagic) {
      return false;
    }
    CheckWelcome(welcome);
    if (welcome.accepted == 0 || fds_.empty()) return false;
    void* mapped = mmap(nullptr, sizeof(session::Segment),
                        PROT_READ | PROT_WRITE, MAP_SHARED, fds_[0].get(), 0);
    Require(mapped != MAP_FAILED, "an accepted job can map its segment");
    segment_ = static_cast<session::Segment*>(mapped);
    return true;
  }

  session::Segment* segment() const { return segment_; }  // null: none
  // Returns the descriptors, which stay the job's: of the segment, of tiers.
  std::vector<int> fds() const {
    std::vector<int> fds;
    for (const OwnedFd& fd : fds_) fds.push_back(fd.get());
    return fds;
  }

 private:
  static void CheckWelcome(const session::Welcome& welcome) {
    Require(
        strnlen(welcome.error, sizeof(welcome.error)) < sizeof(welcome.error),
        "errors end");
    Require((welcome.accepted != 0) == (welcome.error[0] == '\0'),
            "a refusal says why");
    if (welcome.accepted == 0) return;
    Require(welcome.limit.limit_bytes >= 0 && welcome.limit.most_bytes >= 0,
            "limits are not negative");
    Require(welcome.tier_count >= 2 && welcome.tier_count <= session::kMaxTiers,
            "there are tiers");
  }

  OwnedFd socket_;
  std::vector<OwnedFd> fds_;
  session::Segment* segment_ = nullptr;
};

}  // namespace stowage::agent

#endif  // STOWAGE_TESTS_FUZZ_HOSTILE_JOB_H_
