// A step time that no plan can beat, by Lagrangian relaxation.
//
//   int64_t bound_ns = LowerBoundNs(graph, system, fast_limit_bytes);
//   double gap = step_time_ns / static_cast<double>(bound_ns) - 1;
//
// Valid for everything that the verifier accepts and Simulate times: copies
// synchronous or not, any number of tiers, addressable, streamable or neither.
// Room and the lanes get prices; then every tensor's cheapest life is found on
// its own, by dynamic programming over its uses, and the sum is a bound for any
// prices. Subgradient ascent looks for good ones. A kernel with several
// implementations counts as the best of each of them. The proof stands in
// docs/lower-bound.md.
//
// Pure, deterministic.
#ifndef STOWAGE_POLICIES_BOUND_LOWER_BOUND_H_
#define STOWAGE_POLICIES_BOUND_LOWER_BOUND_H_

#include <cstdint>

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

// More of each is tighter, nothing is wrong.
struct LowerBoundEffort {
  // Steps of the ascent.
  int iterations = 1200;
  // Slices of the step looked at, of all tensors and in all iterations, when
  // each kernel has its prices. Where it would be more, there are fewer prices.
  int64_t work = 960'000'000;
};

// For a valid graph; the limit need not be feasible.
int64_t LowerBoundNs(const Graph& graph, const MemorySystem& system,
                     int64_t fast_limit_bytes,
                     const LowerBoundEffort& effort = {});

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_LOWER_BOUND_H_
