#include "policies/baselines/lru.h"

#include "policies/swap/swap_system.h"

namespace stowage::policies {

std::string_view LruPolicy::name() const { return "lru"; }

std::string_view LruPolicy::description() const {
  return "demand mode: fetch at use, evict the least recently used, no "
         "prefetch";
}

absl::StatusOr<Plan> LruPolicy::MakePlan(const Graph& graph,
                                         const MemorySystem& system,
                                         const PlanOptions& options) const {
  return PlanBySwapping(graph, system, options, name(),
                        [](const StepFacts& facts, int64_t budget_bytes) {
                          return RunSwapSystem(facts, SwapRules{},
                                               budget_bytes);
                        });
}

}  // namespace stowage::policies
