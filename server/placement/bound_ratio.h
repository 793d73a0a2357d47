// Says how far a plan is from the best that there can be.
//
//   const double ratio = BoundRatio(graph, system, plan, absl::Milliseconds(40));
//   if (ratio > 1.1) std::cout << "a tenth is left to gain, at most";
#ifndef STOWAGE_SERVER_PLACEMENT_BOUND_RATIO_H_
#define STOWAGE_SERVER_PLACEMENT_BOUND_RATIO_H_

#include "absl/time/time.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/plan.h"

namespace stowage {

inline constexpr absl::Duration kMostBoundTime = absl::Milliseconds(200);

// Returns the step time that the plan predicts over a lower bound of it; 0 if
// the bound is 0. Looks for a tight bound (docs/lower-bound.md) for about
// `budget`, kMostBoundTime at most. Where a look at the graph's size says that
// this is too short, the bound is what the kernels take with all operands fast.
// Blocks meanwhile.
double BoundRatio(const policies::Graph& graph,
                  const policies::MemorySystem& system,
                  const policies::Plan& plan, absl::Duration budget);

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_BOUND_RATIO_H_
