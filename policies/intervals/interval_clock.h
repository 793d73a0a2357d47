// Says when the boundaries of a step are expected to be reached, while waits
// become known interval by interval.
//
//   IntervalClock clock(kernel_ns);
//   clock.Open(end);                  // boundaries up to `end` come into sight
//   clock.Wait(boundary, wait_ns);    // it and all later ones are later
//
// All times include the waits before the boundaries in sight. Waits at
// boundaries in sight may come in any order. Not thread-safe.
#ifndef STOWAGE_POLICIES_INTERVALS_INTERVAL_CLOCK_H_
#define STOWAGE_POLICIES_INTERVALS_INTERVAL_CLOCK_H_

#include <cstdint>
#include <vector>

#include "policies/model/graph.h"

namespace stowage::policies {

class IntervalClock {
 public:
  // Begins without waits. `kernel_ns` says how long each kernel takes with the
  // gap before it.
  explicit IntervalClock(const std::vector<int64_t>& kernel_ns);

  // Fixes the times of the boundaries up to `end`, given the waits so far.
  // `end` never decreases.
  void Open(KernelIndex end);

  int64_t TimeNs(KernelIndex boundary) const {
    return time_ns_[boundary] + (boundary > open_end_ ? shift_ns_ : 0);
  }

  void Wait(KernelIndex boundary, int64_t wait_ns);

  // Returns the first boundary in low .. high that is reached at `ns` or later,
  // else `high`.
  KernelIndex FirstAt(int64_t ns, KernelIndex low, KernelIndex high) const;

  // Returns the last boundary in low .. high that is reached by `ns`, else
  // `low`.
  KernelIndex LastAt(int64_t ns, KernelIndex low, KernelIndex high) const;

 private:
  // By boundary; past open_end_ without the shift. Ascending on either side.
  std::vector<int64_t> time_ns_;
  KernelIndex open_end_ = 0;
  int64_t shift_ns_ = 0;  // the sum of all waits
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_INTERVALS_INTERVAL_CLOCK_H_
