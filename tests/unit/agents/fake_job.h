// Plays a job without training: it greets the agent, maps what it gets, and
// issues moves.
//
//   FakeJob job(socket_path, {.fast = "8MiB", .slow = "emulated:cxl"});
//   ASSERT_TRUE(job.welcome().accepted);
//   EXPECT_EQ(job.Move(session::kLaneOut, {.to_tier = 1, .size_bytes = 4096}),
//             0);
#ifndef STOWAGE_TESTS_UNIT_AGENTS_FAKE_JOB_H_
#define STOWAGE_TESTS_UNIT_AGENTS_FAKE_JOB_H_

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "agents/engine/move_order.h"
#include "agents/jobs/records/fixed_text.h"
#include "client_sdk/session/descriptor_message.h"
#include "client_sdk/session/futex.h"
#include "client_sdk/session/session.h"
#include "tests/unit/agents/lane_client.h"

namespace stowage::agent {

struct FakeJobOptions {
  std::string run_id = "run";
  std::string fast;
  std::string slow;
  std::string policy;
  uint32_t version = session::kVersion;
  int32_t claimed_pid = 0;  // where older plug-ins told theirs
  bool checksums = false;
  // A job that comes back: what it sends along, and the limit that it has.
  std::vector<int> left_fds;
  std::string job_id;
  session::LimitOrder limit{};
  std::string floor;
};

// Uses the futexes of the protocol; the agent may live in another process.
class FakeJob {
 public:
  FakeJob(const std::string& socket_path, const FakeJobOptions& options) {
    Connect(socket_path);
    SendHello(options);
    ReceiveWelcome();
    if (!options.left_fds.empty()) fds_ = options.left_fds;
    if (welcome_.accepted) MapSegment();
  }
  ~FakeJob() {
    HangUp();
    for (int fd : fds_) close(fd);
    if (segment_ != nullptr) munmap(segment_, sizeof(session::Segment));
  }
  FakeJob(const FakeJob&) = delete;
  FakeJob& operator=(const FakeJob&) = delete;

  const session::Welcome& welcome() const { return welcome_; }
  session::Segment* segment() const { return segment_; }
  // Returns the descriptors: the segment's, then those of tiers.
  const std::vector<int>& fds() const { return fds_; }
  int tier_fd(int tier) const { return fds_[tier + 1]; }

  // Returns copies of the descriptors, which are the caller's.
  std::vector<int> CopyOfFds() const {
    std::vector<int> copies;
    for (int fd : fds_) copies.push_back(fcntl(fd, F_DUPFD_CLOEXEC, 0));
    return copies;
  }

  void HangUp() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }

  // Blocks until the agent hangs up.
  void WaitForHangUp() const {
    char byte;
    while (recv(socket_, &byte, 1, 0) > 0) {
    }
  }

  // Blocks until the move is completed; returns 0 or its errno.
  int Move(session::Lane which, const MoveOrder& order) {
    const session::MoveRequest& request =
        LaneClient(segment_->lanes).Move(which, order);
    return request.status == session::kMoveDone ? 0 : request.error_number;
  }

  // Publishes what stands in the profile area, and blocks until there is one
  // more plan or refusal than before.
  void PublishProfile() {
    const uint64_t answers = Answers();
    segment_->profiles_written.fetch_add(1);
    while (Answers() == answers) {
      const uint32_t bell = segment_->plan_bell.load();
      if (Answers() != answers) return;
      session::FutexWait(segment_->plan_bell, bell, 1'000'000'000);
    }
  }

 private:
  uint64_t Answers() const {
    return segment_->plans_written.load() + segment_->profiles_refused.load();
  }

  void Connect(const std::string& socket_path) {
    socket_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    SetText(address.sun_path, socket_path);
    if (connect(socket_, reinterpret_cast<sockaddr*>(&address),
                sizeof(address)) != 0) {
      HangUp();
    }
  }

  void SendHello(const FakeJobOptions& options) const {
    session::Hello hello{};
    hello.magic = session::kMagic;
    hello.version = options.version;
    hello.reserved = options.claimed_pid;
    SetText(hello.run_id, options.run_id);
    SetText(hello.command, "fake job");
    SetText(hello.fast, options.fast);
    SetText(hello.slow, options.slow);
    SetText(hello.policy, options.policy);
    SetText(hello.floor, options.floor);
    hello.wants_sums = options.checksums ? 1 : 0;
    hello.comes_back = options.left_fds.empty() ? 0 : 1;
    hello.limit = options.limit;
    SetText(hello.job_id, options.job_id);
    session::SendMessage(socket_, &hello, sizeof(hello), options.left_fds);
  }

  void ReceiveWelcome() {
    if (session::ReceiveMessage(socket_, &welcome_, sizeof(welcome_), &fds_) !=
        sizeof(welcome_)) {
      welcome_ = {};
    }
  }

  void MapSegment() {
    void* mapped = mmap(nullptr, sizeof(session::Segment),
                        PROT_READ | PROT_WRITE, MAP_SHARED, fds_[0], 0);
    segment_ =
        mapped == MAP_FAILED ? nullptr : static_cast<session::Segment*>(mapped);
  }

  int socket_ = -1;
  session::Welcome welcome_{};
  std::vector<int> fds_;
  session::Segment* segment_ = nullptr;
};

}  // namespace stowage::agent

#endif  // STOWAGE_TESTS_UNIT_AGENTS_FAKE_JOB_H_
