#include "tests/unit/client_sdk/runtime/fake_agent.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "client_sdk/runtime/blocks/tier_copy.h"
#include "client_sdk/session/futex.h"

namespace stowage::runtime {
namespace {

void Require(bool condition, const char* what) {
  if (condition) return;
  perror(what);
  abort();
}

int MakeMemory(const char* name, int64_t bytes) {
  const int fd = memfd_create(name, MFD_CLOEXEC);
  Require(fd >= 0 && ftruncate(fd, bytes) == 0, "memfd");
  return fd;
}

// Makes a file, with direct I/O if the tests' file system knows it.
int MakeFile(const std::string& directory, int64_t bytes) {
  int fd =
      open(directory.c_str(), O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
  if (fd < 0) {
    fd = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  }
  Require(fd >= 0 && ftruncate(fd, bytes) == 0, "O_TMPFILE");
  return fd;
}

}  // namespace

FakeAgent::FakeAgent(const FakeAgentOptions& options)
    : options_(options), socket_path_(directory_.path() + "/agent.sock") {
  segment_fd_ = MakeMemory("segment", sizeof(session::Segment));
  segment_ = reinterpret_cast<session::Segment*>(
      Map(segment_fd_, sizeof(session::Segment)));
  tiers_.push_back(MakeTier("dram", MakeMemory("fast", options.fast_bytes),
                            options.fast_bytes, /*addressable=*/true));
  tiers_.push_back(MakeTier("slow",
                            options.slow_is_file
                                ? MakeFile(directory(), options.slow_bytes)
                                : MakeMemory("slow", options.slow_bytes),
                            options.slow_bytes, !options.slow_is_file));
  tiers_[1].info.copy_to_ps_per_byte = options.copy_to_slow_ps_per_byte;
  tiers_[1].info.kernel_read_ps_per_byte = options.slow_kernel_read_ps_per_byte;

  listener_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address{.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof(address.sun_path), "%s",
           socket_path_.c_str());
  Require(bind(listener_, reinterpret_cast<sockaddr*>(&address),
               sizeof(address)) == 0 &&
              listen(listener_, 1) == 0,
          "listen");
  thread_ = std::thread([this] { Serve(); });
}

FakeAgent::~FakeAgent() {
  HangUp();
  close(listener_);
  for (const auto& [address, bytes] : mappings_) munmap(address, bytes);
  for (const MappedTier& tier : tiers_) close(tier.fd);
  close(segment_fd_);
}

char* FakeAgent::Map(int fd, int64_t bytes) {
  void* mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  Require(mapped != MAP_FAILED, "mmap");
  mappings_.emplace_back(static_cast<char*>(mapped), bytes);
  return mappings_.back().first;
}

MappedTier FakeAgent::MakeTier(const char* name, int fd, int64_t bytes,
                               bool addressable) {
  MappedTier tier{.info = {.capacity_bytes = bytes}, .fd = fd};
  snprintf(tier.info.name, sizeof(tier.info.name), "%s", name);
  tier.info.flags =
      addressable ? session::kTierAddressable : session::kTierFile;
  if (addressable) tier.base = Map(fd, bytes);
  return tier;
}

void FakeAgent::UseMappingsOf(const SessionClient& client) {
  const std::lock_guard lock(serving_);
  segment_ = client.segment();
  for (size_t i = 0; i < tiers_.size(); ++i) {
    if (tiers_[i].addressable()) tiers_[i].base = client.tiers()[i].base;
  }
}

session::Hello FakeAgent::Hello() {
  return {.magic = session::kMagic, .version = session::kVersion};
}

void FakeAgent::HangUp() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  if (listener_ >= 0) close(listener_);  // nobody answers a job that comes back
  listener_ = -1;
}

void FakeAgent::Serve() {
  constexpr int kPollMs = 1;
  pollfd listening{listener_, POLLIN, 0};
  while (poll(&listening, 1, kPollMs) == 0) {
    if (stop_) return;
  }
  const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  Greet(connection);
  pollfd connected{connection, POLLIN, 0};
  while (!stop_ && poll(&connected, 1, kPollMs) == 0) {
    ServeOnce();
  }
  close(connection);
}

void FakeAgent::HoldMoves() {
  const std::lock_guard lock(serving_);
  hold_moves_ = true;
}

void FakeAgent::ServeOnce() {
  const std::lock_guard lock(serving_);
  if (hold_moves_) return;
  for (session::MoveLane& lane : segment_->lanes) ExecuteMoves(&lane);
  AnswerProfile();
  AnswerSituation();
}

void FakeAgent::Greet(int connection) {
  session::Hello hello;
  Require(recv(connection, &hello, sizeof(hello), 0) == sizeof(hello), "hello");
  session::Welcome welcome{.magic = session::kMagic,
                           .version = options_.version,
                           .accepted = options_.refusal.empty(),
                           .segment_bytes = sizeof(session::Segment),
                           .limit = {.limit_bytes = options_.limit_bytes,
                                     .limit_fraction = options_.limit_fraction,
                                     .is_awaited = options_.finds_limit},
                           .tier_count = static_cast<uint32_t>(tiers_.size())};
  snprintf(welcome.error, sizeof(welcome.error), "%s",
           options_.refusal.c_str());
  std::vector<int> fds = {segment_fd_};
  for (size_t i = 0; i < tiers_.size(); ++i) {
    welcome.tiers[i] = tiers_[i].info;
    fds.push_back(tiers_[i].fd);
  }
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 8)] = {};
  iovec part{&welcome, sizeof(welcome)};
  msghdr message{.msg_iov = &part, .msg_iovlen = 1};
  if (welcome.accepted) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    memcpy(CMSG_DATA(header), fds.data(), sizeof(int) * fds.size());
  }
  Require(sendmsg(connection, &message, MSG_NOSIGNAL) == sizeof(welcome),
          "welcome");
}

void FakeAgent::ExecuteMoves(session::MoveLane* lane) {
  uint64_t next = lane->completed.load();
  for (; next < lane->issued.load(); ++next) {
    session::MoveRequest& request = lane->entries[next % session::kLaneEntries];
    int error = move_error_;
    if (error == 0) {
      error = CopyBetweenTiers(
          tiers_, {request.from_tier, request.from_offset_bytes},
          {request.to_tier, request.to_offset_bytes}, request.size_bytes);
      ++moves_executed_;
    }
    request.error_number = error;
    request.status = error == 0 ? session::kMoveDone : session::kMoveFailed;
    lane->completed.store(next + 1);
    session::FutexRing(lane->done_bell);
  }
}

void FakeAgent::AnswerProfile() {
  const uint64_t written = segment_->profiles_written.load();
  if (written == segment_->profiles_taken.load()) return;
  const uint64_t number = segment_->plans_written.load() + 1;
  session::PlanArea* plan = &segment_->plans[number % 2];
  const bool planned =
      options_.planner != nullptr && options_.planner(segment_->profile, plan);
  segment_->profiles_taken.store(written);
  if (planned) {
    segment_->plans_written.store(number);
  } else {
    segment_->profiles_refused.fetch_add(1);
  }
  session::FutexRing(segment_->plan_bell);
}

void FakeAgent::AnswerSituation() {
  const uint64_t stated = segment_->situations_stated.load();
  if (options_.adviser == nullptr ||
      stated == segment_->situations_answered.load()) {
    return;
  }
  options_.adviser(segment_->situation, &segment_->hints);
  segment_->situations_answered.store(stated);
}

}  // namespace stowage::runtime
