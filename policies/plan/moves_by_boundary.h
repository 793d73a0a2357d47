// Indexes a plan's moves by the boundary at which they start or are waited for.
//
//   const Groups starts = MovesByStart(plan, graph.kernel_count());
//   for (int m : starts[b]) Start(plan.moves[m]);
//
// Pure functions of a plan whose boundaries are those of the graph.
#ifndef STOWAGE_POLICIES_PLAN_MOVES_BY_BOUNDARY_H_
#define STOWAGE_POLICIES_PLAN_MOVES_BY_BOUNDARY_H_

#include "policies/model/graph.h"
#include "policies/model/groups.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

// Returns indices of Plan::moves, ascending, for boundaries 0 to `kernels`.
Groups MovesByStart(const Plan& plan, KernelIndex kernels);

// Returns the same for the moves that are not synchronous, by deadline.
Groups MovesByDeadline(const Plan& plan, KernelIndex kernels);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLAN_MOVES_BY_BOUNDARY_H_
