#include "policies/stow/stow.h"

#include "policies/baselines/belady.h"
#include "policies/baselines/g10.h"
#include "policies/redl/redl.h"
#include "policies/sentinel/sentinel.h"
#include "policies/stow/search_plan.h"

namespace stowage {
namespace {

// The baselines' planners take too long for larger graphs.
constexpr KernelIndex kMaxKernelsForBaselines = 3000;

// Of the time of a step in which nothing is waited for.
constexpr double kMostWaitingForBelady = 0.1;
constexpr double kLeastWaitingForRedl = 0.05;

// Each wins on graphs on which the search does not: Belady's rule where nearly
// all copies hide, G10 where lanes of several tiers share much work, Sentinel
// where it pays to reserve room for what lives shortly, ReDL where lanes are too
// slow for most of it.
void ConsiderBaselines(const Graph& graph, const MemorySystem& system,
                       const PlanOptions& options, Search& search) {
  if (graph.kernel_count() > kMaxKernelsForBaselines) return;
  if (search.WaitedShare() < kMostWaitingForBelady) {
    ConsiderPlanOf(BeladyPolicy(), graph, system, options, search);
  }
  ConsiderPlanOf(G10Policy(), graph, system, options, search);
  if (!HasAddressableSlowTier(system)) return;
  ConsiderPlanOf(SentinelPolicy(), graph, system, options, search);
  if (search.WaitedShare() < kLeastWaitingForRedl) return;
  ConsiderPlanOf(RedlPolicy(), graph, system, options, search);
}

}  // namespace

std::string_view StowPolicy::name() const { return "stow"; }

std::string_view StowPolicy::description() const {
  return "take the cheapest absences from the fast tier, schedule their copies "
         "by simulation, learn where kernels wait";
}

absl::StatusOr<Plan> StowPolicy::MakePlan(const Graph& graph,
                                          const MemorySystem& system,
                                          const PlanOptions& options) const {
  return PlanBySearching(
      graph, system, options, name(),
      [&](const CostModel&, const AbsenceChoices&, Search& search) {
        search.Run();
        search.Refine();
        ConsiderBaselines(graph, system, options, search);
        search.Anneal();
      });
}

}  // namespace stowage
