// Shares a host's fast memory among its jobs: each has a floor, and what one
// does not use is lent to others.
//
//   FastMemory memory(int64_t{8} << 30);
//   absl::StatusOr<std::unique_ptr<FastShare>> share = memory.Join(
//       {.floor_bytes = 1 << 20, .want_bytes = 4 << 20}, patience, is_over);
//   // Every 50 ms or so:
//   (*share)->Claim(want_bytes);
//   if (auto most_bytes = (*share)->NextMost()) TellTheJob(*most_bytes);
//   (*share)->NoteInForce();  // once the job obeys
//
// A job that is told to have less still has more until its step ends, and only
// then may another have it. So what all jobs may have together never exceeds
// the total.
#ifndef STOWAGE_AGENTS_SHARING_FAST_MEMORY_H_
#define STOWAGE_AGENTS_SHARING_FAST_MEMORY_H_

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "agents/sharing/divide_fast.h"

namespace stowage::agent {

class FastShare;

// Thread-safe. Must outlive its shares.
class FastMemory {
 public:
  // `total_bytes` are for all jobs together; 0: no bound, every job gets what
  // it asks for.
  explicit FastMemory(int64_t total_bytes) : total_bytes_(total_bytes) {}
  FastMemory(const FastMemory&) = delete;
  FastMemory& operator=(const FastMemory&) = delete;

  int64_t total_bytes() const { return total_bytes_; }

  // Lets a job in with its floor, and with more if that is free. Blocks until
  // others have given back what they were lent, for `patience` at most, or until
  // `is_over` says that nobody waits any more. RESOURCE_EXHAUSTED: the floors
  // are more than there is, or nothing was given back in time.
  absl::StatusOr<std::unique_ptr<FastShare>> Join(
      const FastClaim& claim, absl::Duration patience,
      absl::FunctionRef<bool()> is_over);
  // Lets a job in that holds `held_bytes` already, from an agent before this
  // one, and refuses none. It begins with that, or with what is free if that is
  // more, and with no more than it wants. Its floor is at most what the others'
  // floors leave. Jobs may hold more than there is: they are told to have less.
  std::unique_ptr<FastShare> Rejoin(const FastClaim& claim, int64_t held_bytes);

 private:
  friend class FastShare;

  struct Member {
    FastClaim claim;
    // Whether others are to give back what the job wants beyond its floor: not
    // until its first steps have shown what it needs.
    bool presses = false;
    int64_t told_bytes = 0;      // the last that NextMost() returned
    int64_t in_force_bytes = 0;  // the job has no more than this, or than that
    int64_t least_bytes = 0;     // it has refused to have less

    int64_t held_bytes() const;
    int64_t sure_bytes() const;
  };
  using Members = std::list<Member>;

  absl::Status CheckFloors(const FastClaim& claim) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int64_t FloorsBytes() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool TakeFloor(Members::iterator member);
  int64_t FreeBytes() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<int64_t> Parts() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<int64_t> NextMost(Member* member)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool SomebodyLacks(const std::vector<int64_t>& parts) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int64_t LackingBytes(const std::vector<int64_t>& parts) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int64_t total_bytes_;
  absl::Mutex mutex_;
  Members members_ ABSL_GUARDED_BY(mutex_);
};

// One job's part. Thread-safe. What it holds is free when it is destroyed.
class FastShare {
 public:
  FastShare(FastMemory* memory, FastMemory::Members::iterator member)
      : memory_(memory), member_(member) {}
  ~FastShare();
  FastShare(const FastShare&) = delete;
  FastShare& operator=(const FastShare&) = delete;

  // Returns the most that the job may have to begin with; 0: no bound.
  int64_t first_most_bytes() const { return InForce(); }

  // Says what the job can use now, at most.
  void Claim(int64_t want_bytes);
  // Says how long its steps take with less than that.
  void NoteCurve(StepCurve curve);
  // Returns between which limits the curve matters, because the jobs want more
  // together than there is; nullopt: it does not.
  std::optional<CurveRange> ContestedRange() const;

  // Returns another bound on what the job may have, to be told to it; nullopt
  // while the last one stands or has not been answered.
  std::optional<int64_t> NextMost();
  // Notes that the job obeys the last bound, or keeps the one before because it
  // does not work with less than `least_bytes`. A job may say anything: these
  // count for no more than an equal part of the total.
  void NoteInForce();
  void NoteRefused(int64_t least_bytes);

 private:
  int64_t InForce() const;

  FastMemory* const memory_;
  const FastMemory::Members::iterator member_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_SHARING_FAST_MEMORY_H_
