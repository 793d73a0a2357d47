#include "policies/stow/stow.h"

#include <vector>

#include "policies/deeptm_plus/learned_prices.h"
#include "policies/deeptm_plus/price_network_proto.h"
#include "policies/stow/other_plans.h"
#include "policies/stow/search_plan.h"

namespace stowage {
namespace {

// Where every use needs a copy plain prices are all alike, so that the search
// begins once for each rule of tiers; prices that were learnt over many graphs
// are one more beginning.
void RunAtLearnedPrices(const CostModel& costs, const AbsenceChoices& choices,
                        Search& search) {
  LearnedPrices prices(costs, choices, ShippedPriceNetwork());
  search.RunAtPrices(
      [&](const std::vector<Choice>& chosen, const MoveSchedule* schedule) {
        return prices.Price(chosen, schedule);
      });
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
      [&](const CostModel& costs, const AbsenceChoices& choices,
          Search& search) {
        search.Run();
        if (!HasAddressableSlowTier(system) && !search.IsOver()) {
          RunAtLearnedPrices(costs, choices, search);
        }
        ConsiderOtherPlans(graph, system, options, search);
        search.Anneal();
      });
}

}  // namespace stowage
