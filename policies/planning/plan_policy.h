// Does what the policies have in common: it tries to keep everything fast,
// decides under a byte budget, lays out addresses, shrinks the budget when they
// do not fit, and predicts.
//
//   absl::StatusOr<Plan> plan =
//       PlanByDeciding(graph, system, options, "lru", decide);
#ifndef STOWAGE_POLICIES_PLANNING_PLAN_POLICY_H_
#define STOWAGE_POLICIES_PLANNING_PLAN_POLICY_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "policies/plan/policy.h"
#include "policies/planning/plan_builder.h"
#include "policies/planning/workload.h"

namespace stowage::policies {

// Says which tensors are fast when, and where to be otherwise
// (BuildInput::first_slow_tier).
struct PlacementDecision {
  // Implicit: most policies leave the choice of the slower tier to the builder.
  PlacementDecision(std::vector<Residency> residencies)  // NOLINT
      : residencies(std::move(residencies)) {}
  PlacementDecision(std::vector<Residency> residencies,
                    std::vector<TierIndex> first_slow_tier)
      : residencies(std::move(residencies)),
        first_slow_tier(std::move(first_slow_tier)) {}

  std::vector<Residency> residencies;
  std::vector<TierIndex> first_slow_tier;
};

// Chooses which tensors are fast when, holding at most max(budget_bytes,
// workload.need_bytes[k]) rounded bytes in the fast tier at kernel k.
using Decide = absl::FunctionRef<PlacementDecision(const Workload& workload,
                                                   int64_t budget_bytes)>;

// Returns the limit that a plan is made for: no more than the fast tier has.
int64_t EffectiveLimit(const MemorySystem& system, const PlanOptions& options);

// Returns the plan without moves when one fits the limit, else nullopt. Its
// prediction is filled in.
std::optional<Plan> PlanWithoutMoves(const Graph& graph,
                                     const MemorySystem& system,
                                     const PlanOptions& options,
                                     std::string_view policy);

// Returns PlanWithoutMoves if it fits; else the plan of `decide` with ever
// smaller budgets until its addresses fit; else one with every kernel's tensors
// staged for it alone, which always fits. FAILED_PRECONDITION names the least
// limit that works. CANCELLED by the options' cancellation; the result of
// `decide` then does not count.
absl::StatusOr<Plan> PlanByDeciding(const Graph& graph,
                                    const MemorySystem& system,
                                    const PlanOptions& options,
                                    std::string_view policy, Decide decide);

// Names the policy and predicts. If kernels use slower tiers, a note names
// derived times.
absl::StatusOr<Plan> FinishPlan(const Graph& graph, const MemorySystem& system,
                                std::string_view policy, Plan plan,
                                const Cancellation& cancellation = {});

// Adds a note, once, of which times that the plan was made with are derived.
void NoteDerivedTimes(const Graph& graph, const MemorySystem& system,
                      Plan& plan);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLANNING_PLAN_POLICY_H_
