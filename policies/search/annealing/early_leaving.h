// Lets copies out of the fast tier begin before the last reads of their tensors:
// a tensor may be read while it is copied. What the backward pass writes, such
// as a gradient, is then copied there, and not as the optimizer has read it and
// lanes have more to do than at any other time.
//
//   LeaveEarly(graph, system, input);
//   absl::StatusOr<Plan> plan = BuildPlan(graph, system, input);
//
// Pure function.
#ifndef STOWAGE_POLICIES_SEARCH_ANNEALING_EARLY_LEAVING_H_
#define STOWAGE_POLICIES_SEARCH_ANNEALING_EARLY_LEAVING_H_

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/planning/plan_builder.h"

namespace stowage::policies {

// Lets each copy out of `input` begin where nothing writes its tensor any more
// and its lane is idle for as long as it takes, so that no other copy is later.
// Changes nothing if the step were longer so, since copies slow the kernels that
// they run beside.
void LeaveEarly(const Graph& graph, const MemorySystem& system,
                BuildInput& input);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ANNEALING_EARLY_LEAVING_H_
