// Computes a step time that no plan can beat, by Lagrangian relaxation.
//
//   int64_t bound_ns = LowerBoundNs(graph, system, fast_limit_bytes);
//   double gap = step_time_ns / static_cast<double>(bound_ns) - 1;
//
// The bound is valid for every plan that the verifier accepts and Simulate
// times: copies synchronous or not, any number of tiers, addressable,
// streamable or neither. Room and the lanes get prices. Dynamic programming
// over its uses then finds every tensor's cheapest life on its own, and the sum
// is a bound for any prices. Subgradient ascent looks for good ones. A kernel
// with several implementations counts as the best of each of them.
// docs/lower-bound.md has the proof.
//
// Pure, deterministic.
#ifndef STOWAGE_POLICIES_BOUND_LOWER_BOUND_H_
#define STOWAGE_POLICIES_BOUND_LOWER_BOUND_H_

#include <cstdint>

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

// Says how much work the bound is worth. More of either makes it tighter; any
// amount is correct.
struct LowerBoundEffort {
  // The steps of the ascent.
  int iterations = 1200;
  // The slices that are looked at, of all tensors and in all iterations, when
  // each kernel has its prices. If it would take more, there are fewer prices.
  int64_t work = 960'000'000;
};

// Returns the bound for a valid graph, 0 or more; the limit need not be feasible.
int64_t LowerBoundNs(const Graph& graph, const MemorySystem& system,
                     int64_t fast_limit_bytes,
                     const LowerBoundEffort& effort = {});

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_LOWER_BOUND_H_
