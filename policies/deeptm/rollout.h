// Turns an actor into a plan: the steady state of what it does, with addresses.
//
//   absl::StatusOr<Plan> plan = PlanByActing(
//       graph, system, options, "deeptm-heat", mode, heat,
//       [&](const Environment& environment, int64_t budget_bytes) {
//         return std::make_unique<HeatActor>(environment, budget_bytes, heat);
//       });
#ifndef STOWAGE_POLICIES_DEEPTM_ROLLOUT_H_
#define STOWAGE_POLICIES_DEEPTM_ROLLOUT_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "policies/deeptm/episode.h"
#include "policies/plan/policy.h"

namespace stowage::policies {

// Makes an actor for a budget.
using MakeActor = absl::FunctionRef<std::unique_ptr<Actor>(
    const Environment& environment, int64_t budget_bytes)>;

// Plans by PlanByDeciding with what the actor does in the steady state, and
// aggregates the plan. Errors as in PlanByDeciding and MakeHeatTable.
absl::StatusOr<Plan> PlanByActing(const Graph& graph,
                                  const MemorySystem& system,
                                  const PlanOptions& options,
                                  std::string_view policy, MigrationMode mode,
                                  const HeatSettings& heat,
                                  MakeActor make_actor);

// Plans likewise in an environment that exists, made of this graph, system and
// limit. It does not try PlanWithoutMoves.
absl::StatusOr<Plan> PlanInEnvironment(const Environment& environment,
                                       const MemorySystem& system,
                                       const PlanOptions& options,
                                       std::string_view policy,
                                       MakeActor make_actor);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_ROLLOUT_H_
