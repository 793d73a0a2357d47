#include "policies/baselines/unified_memory.h"

#include "policies/baselines/page_faults.h"
#include "policies/baselines/step_facts.h"
#include "policies/baselines/swap_system.h"
#include "policies/planning/plan_policy.h"

namespace stowage {

std::string_view UnifiedMemoryPolicy::name() const { return "unified-memory"; }

std::string_view UnifiedMemoryPolicy::description() const {
  return "unified memory: demand paging with LRU and the cost of its faults "
         "(Sentinel VII-C)";
}

absl::StatusOr<Plan> UnifiedMemoryPolicy::MakePlan(
    const Graph& graph, const MemorySystem& system,
    const PlanOptions& options) const {
  absl::StatusOr<Plan> plan = PlanByDeciding(
      graph, system, options, name(),
      [&](const Workload& workload, int64_t budget_bytes) {
        const StepFacts facts(graph, system, workload);
        const SwapRules rules{.victims = VictimOrder::kLeastRecentlyUsed};
        return RunSwapSystem(facts, rules, budget_bytes).residency;
      });
  if (plan.ok()) ChargePageFaults(graph, system, *plan);
  return plan;
}

}  // namespace stowage
