// Lets a policy make a plan, verifies the plan and simulates it.
//
//   absl::StatusOr<policies::Plan> plan =
//       MakeVerifiedPlan(graph, system, *policy, {.fast_limit_bytes = limit});
#ifndef STOWAGE_SERVER_PLACEMENT_VERIFIED_PLAN_H_
#define STOWAGE_SERVER_PLACEMENT_VERIFIED_PLAN_H_

#include "absl/status/statusor.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/plan.h"
#include "policies/plan/policy.h"

namespace stowage {

// Returns the plan with the prediction of the simulator. Blocks while the
// policy thinks. INTERNAL: the verifier rejects the plan. Other errors are the
// policy's.
absl::StatusOr<policies::Plan> MakeVerifiedPlan(
    const policies::Graph& graph, const policies::MemorySystem& system,
    const policies::Policy& policy, const policies::PlanOptions& options);

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_VERIFIED_PLAN_H_
