#include "policies/search/rivals.h"

#include <utility>

namespace stowage::policies {
namespace {

// The largest graphs that Belady's rule, and the others, plan in a small part
// of a second.
constexpr KernelIndex kMaxKernelsForBelady = 10'000;
constexpr KernelIndex kMaxKernels = 3000;

// Shares of a step that waits for nothing.
constexpr double kMostWaitingForBelady = 0.1;
constexpr double kLeastWaitingForRedl = 0.05;

void ConsiderPlanOf(const Policy& policy, const Graph& graph,
                    const MemorySystem& system, const PlanOptions& options,
                    Search& search) {
  if (search.IsOver()) return;
  absl::StatusOr<Plan> plan = policy.MakePlan(graph, system, options);
  if (!plan.ok()) return;
  plan->notes.clear();  // of how it came to be; the search goes on from it
  search.Consider(*std::move(plan));
}

}  // namespace

void ConsiderRivals(const Rivals& rivals, const Graph& graph,
                    const MemorySystem& system, const PlanOptions& options,
                    Search& search) {
  if (graph.kernel_count() <= kMaxKernelsForBelady &&
      search.WaitedShare() < kMostWaitingForBelady) {
    ConsiderPlanOf(*rivals.belady, graph, system, options, search);
  }
  if (graph.kernel_count() > kMaxKernels) return;
  ConsiderPlanOf(*rivals.g10, graph, system, options, search);
  if (!HasAddressableSlowTier(system)) return;
  ConsiderPlanOf(*rivals.sentinel, graph, system, options, search);
  if (search.WaitedShare() < kLeastWaitingForRedl) return;
  ConsiderPlanOf(*rivals.redl, graph, system, options, search);
}

}  // namespace stowage::policies
