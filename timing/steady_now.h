// Tells the time for deadlines and durations. absl::Now() follows the wall
// clock, which an operator or NTP may set: with it, a planner would think for
// an hour longer once the clock has been set back by one.
//
//   const absl::Time deadline = SteadyNow() + absl::Seconds(1);
//   while (SteadyNow() < deadline) Improve();
#ifndef STOWAGE_TIMING_STEADY_NOW_H_
#define STOWAGE_TIMING_STEADY_NOW_H_

#include <chrono>

#include "absl/time/time.h"

namespace stowage {

// Returns the time since some moment in the past, as CLOCK_MONOTONIC has it. It
// means something only beside other times of this function.
inline absl::Time SteadyNow() {
  return absl::UnixEpoch() +
         absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace stowage

#endif  // STOWAGE_TIMING_STEADY_NOW_H_
