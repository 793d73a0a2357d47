// What the policies have in common: try to keep everything fast, decide under a
// byte budget, lay out addresses, shrink the budget when they do not fit, and
// predict.
//
//   absl::StatusOr<Plan> Lru::MakePlan(...) const {
//     return PlanByDeciding(graph, system, options, name(), DecideLru);
//   }
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

// Who is fast when, and where to be otherwise (BuildInput::first_slow_tier).
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

// Chooses who is fast when, holding at most max(budget_bytes,
// workload.need_bytes[k]) rounded bytes in the fast tier at kernel k.
using Decide = absl::FunctionRef<PlacementDecision(const Workload& workload,
                                                   int64_t budget_bytes)>;

// The limit that a plan is made for: no more than the fast tier has.
int64_t EffectiveLimit(const MemorySystem& system, const PlanOptions& options);

// The plan without moves when one fits the limit, else nullopt. Its prediction
// is filled in.
std::optional<Plan> PlanWithoutMoves(const Graph& graph,
                                     const MemorySystem& system,
                                     const PlanOptions& options,
                                     std::string_view policy);

// PlanWithoutMoves where it fits; else `decide` with ever smaller budgets until
// its addresses fit; else every kernel's tensors staged for it alone, which
// always fits. FAILED_PRECONDITION names the least limit that works. CANCELLED
// by the options' cancellation; what `decide` returns then does not count.
absl::StatusOr<Plan> PlanByDeciding(const Graph& graph,
                                    const MemorySystem& system,
                                    const PlanOptions& options,
                                    std::string_view policy, Decide decide);

// Names the policy and predicts. Where kernels use slower tiers, derived times
// are noted.
absl::StatusOr<Plan> FinishPlan(const Graph& graph, const MemorySystem& system,
                                std::string_view policy, Plan plan,
                                const Cancellation& cancellation = {});

// A note says which times are derived that the plan was made with, once.
void NoteDerivedTimes(const Graph& graph, const MemorySystem& system,
                      Plan& plan);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLANNING_PLAN_POLICY_H_
