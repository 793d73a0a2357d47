#include "policies/baselines/lru.h"

#include "policies/baselines/step_facts.h"
#include "policies/baselines/swap_system.h"
#include "policies/planning/plan_policy.h"

namespace stowage {

std::string_view LruPolicy::name() const { return "lru"; }

std::string_view LruPolicy::description() const {
  return "demand mode: fetch at use, evict the least recently used, no "
         "prefetch";
}

absl::StatusOr<Plan> LruPolicy::MakePlan(const Graph& graph,
                                         const MemorySystem& system,
                                         const PlanOptions& options) const {
  return PlanByDeciding(
      graph, system, options, name(),
      [&](const Workload& workload, int64_t budget_bytes) {
        const StepFacts facts(graph, system, workload);
        return RunSwapSystem(facts, SwapRules{}, budget_bytes).residency;
      });
}

}  // namespace stowage
