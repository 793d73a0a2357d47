// Computes the lower bound of a step's time for callers who have little time.
//
//   const int64_t bound_ns =
//       QuickBoundNs(graph, system, limit_bytes, absl::Milliseconds(40));
//
// Pure, deterministic.
#ifndef STOWAGE_POLICIES_BOUND_QUICK_BOUND_H_
#define STOWAGE_POLICIES_BOUND_QUICK_BOUND_H_

#include <cstdint>

#include "absl/time/time.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

// Returns how long the kernels of a valid graph and the host take with every
// operand fast, from below by a millionth.
int64_t AllFastNs(const Graph& graph, const MemorySystem& system);

// Returns a time that no plan under the limit beats (lower_bound.h), found in
// about `budget`. Where a look at the graph's size says that this is too short,
// it is AllFastNs().
int64_t QuickBoundNs(const Graph& graph, const MemorySystem& system,
                     int64_t fast_limit_bytes, absl::Duration budget);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_QUICK_BOUND_H_
