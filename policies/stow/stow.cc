#include "policies/stow/stow.h"

#include <future>
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

// The same search at learned prices, in a thread of its own, where every plan is
// a compromise and graphs are so small that a second search is affordable. With
// a time limit the first one takes what time there is.
std::future<absl::StatusOr<Plan>> BeginSecondSearch(const Graph& graph,
                                                    const MemorySystem& system,
                                                    const PlanOptions& options,
                                                    Search& search) {
  if (options.time_limit > absl::ZeroDuration() || search.IsOver() ||
      graph.kernel_count() > kMaxKernelsForTwo ||
      search.WaitedShare() < kLeastWaitingForTwo) {
    return {};
  }
  return std::async(std::launch::async, [&] {
    return DeepTmPlusPolicy().MakePlan(graph, system, options);
  });
}

void SearchAll(const Graph& graph, const MemorySystem& system,
               const PlanOptions& options, const CostModel& costs,
               const AbsenceChoices& choices, Search& search) {
  search.Run();
  auto second = BeginSecondSearch(graph, system, options, search);
  if (!second.valid() && !HasAddressableSlowTier(system) && !search.IsOver()) {
    RunAtLearnedPrices(costs, choices, search);
  }
  search.KeepBeginning();
  ConsiderOtherPlans(graph, system, options, search);
  search.Anneal();
  if (!second.valid()) return;
  absl::StatusOr<Plan> plan = second.get();
  if (plan.ok()) search.Consider(*std::move(plan));
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
