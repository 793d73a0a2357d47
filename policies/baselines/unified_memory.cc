#include "policies/baselines/unified_memory.h"

#include "policies/swap/page_faults.h"
#include "policies/swap/swap_system.h"

namespace stowage::policies {

std::string_view UnifiedMemoryPolicy::name() const { return "unified-memory"; }

std::string_view UnifiedMemoryPolicy::description() const {
  return "unified memory: demand paging with LRU and the cost of its faults "
         "(Sentinel VII-C)";
}

absl::StatusOr<Plan> UnifiedMemoryPolicy::MakePlan(
    const Graph& graph, const MemorySystem& system,
    const PlanOptions& options) const {
  const SwapRules rules{.victims = VictimOrder::kLeastRecentlyUsed};
  absl::StatusOr<Plan> plan =
      PlanBySwapping(graph, system, options, name(),
                     [&](const StepFacts& facts, int64_t budget_bytes) {
                       return RunSwapSystem(facts, rules, budget_bytes);
                     });
  if (plan.ok()) ChargePageFaults(graph, system, *plan);
  return plan;
}

}  // namespace stowage::policies
