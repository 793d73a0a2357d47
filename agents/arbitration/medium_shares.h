// Says how much of a medium each job has had, so that jobs that copy at the same
// time get equally much, in whatever order their copies are made (start-time
// fair queueing; Goyal, Vin and Cheng, SIGCOMM 1996).
//
//   MediumShares shares;
//   shares.Begin(job);                    // it has a copy to make
//   if (shares.AheadBytes(job) <= kMostAheadBytes) Copy(order);
//   shares.Charge(job, order.size_bytes);
//   shares.End(job);
#ifndef STOWAGE_AGENTS_ARBITRATION_MEDIUM_SHARES_H_
#define STOWAGE_AGENTS_ARBITRATION_MEDIUM_SHARES_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"

namespace stowage::agent {

// Names a job of this host; it is compared and never followed.
using JobKey = const void*;

// The lead that a job may have where its copies are needed first, and the claim
// that is left to one which was away. It is a sixth of what a step of a small
// LSTM moves (docs/measurements.md, Neighbours): deadlines decide within a step,
// and shares over several.
inline constexpr int64_t kMostAheadBytes = 32 << 20;

// A job is active between Begin() and End(), which may nest. Of what others have
// had while it was not active, it may have kMostAheadBytes later, and the rest
// is lost to it. Thread-compatible.
class MediumShares {
 public:
  void Begin(JobKey job);
  void End(JobKey job);

  // Counts what an active job has had.
  void Charge(JobKey job, int64_t bytes);

  // Returns how much more an active job has had than the active one that has
  // had least.
  int64_t AheadBytes(JobKey job) const;

 private:
  struct Account {
    int64_t had_bytes = 0;
    int active = 0;  // copies that have begun and not ended
  };

  int64_t LeastBytes() const;
  void Forget();

  // Holds the active jobs, and those that would not start as new ones do.
  absl::flat_hash_map<JobKey, Account> accounts_;
  // The least that an active job has had. It grows until no job is active, and
  // is 0 then.
  int64_t floor_bytes_ = 0;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ARBITRATION_MEDIUM_SHARES_H_
