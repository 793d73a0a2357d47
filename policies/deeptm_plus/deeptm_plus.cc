#include "policies/deeptm_plus/deeptm_plus.h"

#include "policies/deeptm_plus/learned_prices.h"
#include "policies/deeptm_plus/price_network_proto.h"
#include "policies/stow/search_plan.h"

namespace stowage {

DeepTmPlusPolicy::DeepTmPlusPolicy()
    : DeepTmPlusPolicy(ShippedPriceNetwork()) {}

std::string_view DeepTmPlusPolicy::name() const { return "deeptm-plus"; }

std::string_view DeepTmPlusPolicy::description() const {
  return "stow's search from one start, at prices learnt over many graphs "
         "(after DeepTM)";
}

absl::StatusOr<Plan> DeepTmPlusPolicy::MakePlan(
    const Graph& graph, const MemorySystem& system,
    const PlanOptions& options) const {
  return PlanBySearching(
      graph, system, options, name(),
      [&](const CostModel& costs, const AbsenceChoices& choices,
          Search& search) {
        LearnedPrices prices(costs, choices, network_);
        search.RunAtPrices([&](const std::vector<Choice>& chosen,
                               const MoveSchedule* schedule) {
          return prices.Price(chosen, schedule);
        });
      });
}

}  // namespace stowage
