#include "agents/sharing/fast_memory.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/setup_messages.h"

namespace stowage::agent {
namespace {

// More than any host has. Keeps the sums of all jobs' claims far from 2^63.
constexpr int64_t kMostClaimBytes = int64_t{1} << 50;
constexpr absl::Duration kLookAgain = absl::Milliseconds(20);
// Each change makes a job plan anew, so smaller ones are not worth it: a share
// of the total.
constexpr int64_t kLeastChangeShare = 50;

}  // namespace

int64_t FastMemory::Member::held_bytes() const {
  return std::max(told_bytes, in_force_bytes);
}

int64_t FastMemory::Member::sure_bytes() const {
  return std::min(claim.floor_bytes, claim.want_bytes);
}

int64_t FastMemory::FloorsBytes() const {
  int64_t floors_bytes = 0;
  for (const Member& member : members_) {
    floors_bytes += member.claim.floor_bytes;
  }
  return floors_bytes;
}

absl::Status FastMemory::CheckFloors(const FastClaim& claim) const {
  const int64_t floors_bytes = FloorsBytes();
  if (claim.floor_bytes <= total_bytes_ - floors_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "the job is to be sure of ", claim.floor_bytes,
      " bytes of fast memory, the ", members_.size(), " jobs here are sure of ",
      floors_bytes, ", and the host has ", total_bytes_,
      " for all; ask for less with --floor, or wait until a job ends"));
}

int64_t FastMemory::FreeBytes() const {
  int64_t free_bytes = total_bytes_;
  for (const Member& member : members_) free_bytes -= member.held_bytes();
  return free_bytes;
}

std::vector<int64_t> FastMemory::Parts() const {
  std::vector<FastClaim> claims;
  for (const Member& member : members_) {
    claims.push_back(member.claim);
    const auto jobs = static_cast<int64_t>(members_.size());
    claims.back().floor_bytes =
        std::max(member.claim.floor_bytes,
                 std::min(member.least_bytes, total_bytes_ / jobs));
    if (member.presses) continue;
    // What is free it may have, but nobody gives up anything for it.
    claims.back().want_bytes =
        std::max(member.claim.floor_bytes, member.in_force_bytes);
  }
  return DivideFast(total_bytes_, claims);
}

absl::StatusOr<std::unique_ptr<FastShare>> FastMemory::Join(
    const FastClaim& claim, absl::Duration patience,
    absl::FunctionRef<bool()> is_over) {
  if (total_bytes_ == 0) return Rejoin(claim, 0);
  const int64_t end_ns = session::NowNs() + absl::ToInt64Nanoseconds(patience);
  Members::iterator member;
  {
    absl::MutexLock lock(&mutex_);
    if (absl::Status s = CheckFloors(claim); !s.ok()) return s;
    member = members_.insert(members_.end(), {.claim = claim});
  }
  while (!TakeFloor(member)) {
    if (session::NowNs() < end_ns && !is_over()) {
      absl::SleepFor(std::min(kLookAgain, patience));
      continue;
    }
    absl::MutexLock lock(&mutex_);
    const int64_t floor_bytes = member->sure_bytes();
    members_.erase(member);
    return absl::ResourceExhaustedError(absl::StrCat(
        "other jobs hold the fast memory of the host and have not given back ",
        floor_bytes, " bytes within ", absl::FormatDuration(patience),
        "; they do when their steps end: try again, or ask for less with "
        "--floor"));
  }
  return std::make_unique<FastShare>(this, member);
}

// Gives a new job its floor, and what else is free. Returns false while the
// floor is not.
bool FastMemory::TakeFloor(Members::iterator member) {
  absl::MutexLock lock(&mutex_);
  const int64_t free_bytes = FreeBytes();
  if (free_bytes < member->sure_bytes()) return false;
  member->told_bytes = member->in_force_bytes =
      std::min(member->claim.want_bytes, free_bytes);
  return true;
}

std::unique_ptr<FastShare> FastMemory::Rejoin(const FastClaim& claim,
                                              int64_t held_bytes) {
  absl::MutexLock lock(&mutex_);
  FastClaim bounded = claim;
  bounded.floor_bytes = std::min(
      claim.floor_bytes, std::max<int64_t>(0, total_bytes_ - FloorsBytes()));
  // 0 would be no bound.
  const int64_t least_bytes = total_bytes_ == 0 ? 0 : session::kPageBytes;
  const int64_t has_bytes = std::min(
      claim.want_bytes, std::max({held_bytes, FreeBytes(), least_bytes}));
  const auto member =
      members_.insert(members_.end(), {.claim = std::move(bounded),
                                       .presses = true,
                                       .told_bytes = has_bytes,
                                       .in_force_bytes = has_bytes});
  return std::make_unique<FastShare>(this, member);
}

// Returns whether a job has much less than its part because others have more
// than theirs.
bool FastMemory::SomebodyLacks(const std::vector<int64_t>& parts) const {
  const int64_t free_bytes = FreeBytes();
  for (const Member& member : members_) {
    const int64_t sure_bytes = std::min(member.sure_bytes(), total_bytes_);
    if (member.held_bytes() + std::max<int64_t>(free_bytes, 0) < sure_bytes) {
      return true;
    }
  }
  return free_bytes < 0 ||
         LackingBytes(parts) - free_bytes > total_bytes_ / kLeastChangeShare;
}

int64_t FastMemory::LackingBytes(const std::vector<int64_t>& parts) const {
  int64_t lacking_bytes = 0;
  size_t i = 0;
  for (const Member& member : members_) {
    lacking_bytes += std::max<int64_t>(0, parts[i++] - member.held_bytes());
  }
  return lacking_bytes;
}

std::optional<int64_t> FastMemory::NextMost(Member* member) {
  if (member->told_bytes != member->in_force_bytes) return std::nullopt;
  const std::vector<int64_t> parts = Parts();
  size_t index = 0;
  for (const Member& other : members_) {
    if (&other == member) break;
    ++index;
  }
  const int64_t now_bytes = member->in_force_bytes;
  if (parts[index] < now_bytes) {
    if (!SomebodyLacks(parts)) return std::nullopt;
    member->told_bytes = parts[index];
    return parts[index];
  }
  const int64_t free_bytes = std::max<int64_t>(FreeBytes(), 0);
  const int64_t own_bytes = std::min(parts[index] - now_bytes, free_bytes);
  const int64_t others_lack = LackingBytes(parts) - (parts[index] - now_bytes);
  const int64_t most_bytes =
      std::min(member->claim.want_bytes,
               now_bytes + std::max(own_bytes, free_bytes - others_lack));
  if (most_bytes - now_bytes <= total_bytes_ / kLeastChangeShare) {
    return std::nullopt;
  }
  member->told_bytes = most_bytes;
  return most_bytes;
}

FastShare::~FastShare() {
  absl::MutexLock lock(&memory_->mutex_);
  memory_->members_.erase(member_);
}

void FastShare::Claim(int64_t want_bytes) {
  absl::MutexLock lock(&memory_->mutex_);
  member_->presses = true;
  member_->claim.want_bytes = std::min(want_bytes, kMostClaimBytes);
}

void FastShare::NoteCurve(StepCurve curve) {
  absl::MutexLock lock(&memory_->mutex_);
  member_->claim.curve = std::move(curve);
}

std::optional<CurveRange> FastShare::ContestedRange() const {
  if (memory_->total_bytes_ == 0) return std::nullopt;
  absl::MutexLock lock(&memory_->mutex_);
  const FastMemory::Member& own = *member_;
  int64_t want_bytes = 0;
  for (const FastMemory::Member& member : memory_->members_) {
    want_bytes += member.claim.want_bytes;
  }
  if (!own.presses || want_bytes <= memory_->total_bytes_ ||
      own.sure_bytes() >= own.claim.want_bytes) {
    return std::nullopt;
  }
  return CurveRange{own.sure_bytes(), own.claim.want_bytes};
}

std::optional<int64_t> FastShare::NextMost() {
  if (memory_->total_bytes_ == 0) return std::nullopt;
  absl::MutexLock lock(&memory_->mutex_);
  return memory_->NextMost(&*member_);
}

void FastShare::NoteInForce() {
  absl::MutexLock lock(&memory_->mutex_);
  member_->in_force_bytes = member_->told_bytes;
}

void FastShare::NoteRefused(int64_t least_bytes) {
  absl::MutexLock lock(&memory_->mutex_);
  member_->least_bytes = std::max(member_->least_bytes, least_bytes);
  member_->told_bytes = member_->in_force_bytes;
}

int64_t FastShare::InForce() const {
  absl::MutexLock lock(&memory_->mutex_);
  return member_->in_force_bytes;
}

}  // namespace stowage::agent
