#include "policies/baselines/deepum.h"

#include "policies/swap/page_faults.h"
#include "policies/swap/swap_system.h"

namespace stowage::policies {
namespace {

// The number of kernels ahead for which the chain of correlated kernels is
// followed (the prefetch degree N of DeepUM, section 4).
constexpr KernelIndex kDegree = 32;

}  // namespace

std::string_view DeepumPolicy::name() const { return "deepum"; }

std::string_view DeepumPolicy::description() const {
  return "correlation prefetching on top of unified memory, with eviction "
         "ahead of need (DeepUM, Jung et al., ASPLOS 2023)";
}

absl::StatusOr<Plan> DeepumPolicy::MakePlan(const Graph& graph,
                                            const MemorySystem& system,
                                            const PlanOptions& options) const {
  const SwapRules rules{.victims = VictimOrder::kFirstIn,
                        .ahead_kernels = kDegree};
  absl::StatusOr<Plan> plan =
      PlanBySwapping(graph, system, options, name(),
                     [&](const StepFacts& facts, int64_t budget_bytes) {
                       return RunSwapSystem(facts, rules, budget_bytes);
                     });
  if (plan.ok()) ChargePageFaults(graph, system, *plan);
  return plan;
}

}  // namespace stowage::policies
