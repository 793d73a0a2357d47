// Plans with a trained DQN policy.
//
//   std::unique_ptr<Policy> deeptm = MakeDeepTmPolicy(*trained);
//   absl::StatusOr<Plan> plan = deeptm->MakePlan(graph, system, options);
//
// Needs no LibTorch.
#ifndef STOWAGE_POLICIES_DEEPTM_DQN_DQN_PLANNER_H_
#define STOWAGE_POLICIES_DEEPTM_DQN_DQN_PLANNER_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "policies/deeptm/dqn/dqn_policy.h"
#include "policies/plan/policy.h"

namespace stowage::policies {

// The policy's name in plans and on the command line.
inline constexpr std::string_view kDeepTmPolicyName = "deeptm";

// Rolls the policy out over one step and builds the plan of what it did. The
// limit may differ from the one it was trained for; the plan then notes it.
// INVALID_ARGUMENT for a policy that is not sound; FAILED_PRECONDITION for
// another graph or memory system, or a limit that is too small.
absl::StatusOr<Plan> PlanWithDqn(const DqnPolicy& policy, const Graph& graph,
                                 const MemorySystem& system,
                                 const PlanOptions& options);

// Returns "deeptm": PlanWithDqn as a policy.
std::unique_ptr<Policy> MakeDeepTmPolicy(DqnPolicy policy);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_DQN_DQN_PLANNER_H_
