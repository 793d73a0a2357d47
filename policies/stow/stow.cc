#include "policies/stow/stow.h"

#include <utility>
#include <vector>

#include "policies/deeptm_plus/deeptm_plus.h"
#include "policies/deeptm_plus/learned_prices.h"
#include "policies/deeptm_plus/price_network_proto.h"
#include "policies/stow/other_plans.h"
#include "policies/stow/search_plan.h"

namespace stowage {
namespace {

constexpr KernelIndex kMaxKernelsForTwo = 7'000;
constexpr double kLeastWaitingForTwo = 0.001;

// Where every use needs a copy plain prices are all alike, so that the search
// begins once for each rule of tiers; prices that were learnt over many graphs
// are one more beginning, unless a second search begins at them.
void RunAtLearnedPrices(const CostModel& costs, const AbsenceChoices& choices,
                        Search& search) {
  LearnedPrices prices(costs, choices, ShippedPriceNetwork());
  search.RunAtPrices(
      [&](const std::vector<Choice>& chosen, const MoveSchedule* schedule) {
        return prices.Price(chosen, schedule);
      });
}

// Whether the same search at learned prices is worth its time as well: where every
// plan is a compromise, and graphs are not large. With a time limit the first one
// takes what time there is.
bool IsWorthTwo(const Graph& graph, const PlanOptions& options,
                Search& search) {
  return options.time_limit <= absl::ZeroDuration() && !search.IsOver() &&
         graph.kernel_count() <= kMaxKernelsForTwo &&
         search.WaitedShare() >= kLeastWaitingForTwo;
}

void SearchAll(const Graph& graph, const MemorySystem& system,
               const PlanOptions& options, const CostModel& costs,
               const AbsenceChoices& choices, Search& search) {
  const auto go_on = [&] {
    search.KeepBeginning();
    ConsiderOtherPlans(graph, system, options, search);
    search.Anneal();
  };
  search.Run();
  if (!IsWorthTwo(graph, options, search)) {
    if (!HasAddressableSlowTier(system) && !search.IsOver()) {
      RunAtLearnedPrices(costs, choices, search);
    }
    return go_on();
  }
  absl::StatusOr<Plan> second;
  const auto search_again = [&] {
    second = DeepTmPlusPolicy().MakePlan(graph, system, options);
  };
  if (options.call_both) {
    options.call_both(go_on, search_again);
  } else {
    go_on();
    search_again();
  }
  if (second.ok()) search.Consider(*std::move(second));
  search.Anneal();
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
  return PlanBySearching(graph, system, options, name(),
                         [&](const CostModel& costs,
                             const AbsenceChoices& choices, Search& search) {
                           SearchAll(graph, system, options, costs, choices,
                                     search);
                         });
}

}  // namespace stowage
