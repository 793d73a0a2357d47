// Divides a host's fast memory among its jobs.
//
//   std::vector<int64_t> parts =
//       DivideFast(100 << 20, {{.floor_bytes = 30 << 20, .want_bytes = 60 << 20},
//                              {.floor_bytes = 30 << 20, .want_bytes = 60 << 20}});
//   // 50 MiB each
#ifndef STOWAGE_AGENTS_SHARING_DIVIDE_FAST_H_
#define STOWAGE_AGENTS_SHARING_DIVIDE_FAST_H_

#include <cstdint>
#include <vector>

#include "agents/sharing/step_curve.h"

namespace stowage::agent {

struct FastClaim {
  int64_t floor_bytes = 0;  // the job is sure of these if it wants them
  int64_t want_bytes = 0;   // more would be of no use to it
  StepCurve curve;          // empty: what more memory is worth is not known
};

// Returns a part for each claim, in whole pages. All get what they want if that
// is no more than the total. Else each gets its floor, or what it wants if that
// is less. The rest is shared in proportion to what each wants beyond; or, if
// all curves are known and that shortens steps by more than curves err, it goes
// where it shortens them most, so that the sum of all jobs' step times is the
// least that the curves predict, and what shortens none is shared. Floors that
// are more than the total shrink in proportion. Pure.
std::vector<int64_t> DivideFast(int64_t total_bytes,
                                const std::vector<FastClaim>& claims);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_SHARING_DIVIDE_FAST_H_
