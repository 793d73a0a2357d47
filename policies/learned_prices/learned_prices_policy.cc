#include "policies/learned_prices/learned_prices_policy.h"

#include <utility>

#include "policies/search/prices/learned_prices.h"
#include "policies/search/prices/price_network_proto.h"
#include "policies/search/rivals.h"
#include "policies/search/search_plan.h"

namespace stowage::policies {
namespace {

// The prices of the second start, for graphs on which the learnt prices do not
// fit. Training begins with nearly the same ones.
constexpr LanePrices kPlainPrices = {.kernel = 20};

// The most that a step waits, as a share of a step that waits for nothing. If
// it waits for more, small changes and other planners' plans are worth their
// time.
constexpr double kMostWaiting = 0.02;

}  // namespace

LearnedPricesPolicy::LearnedPricesPolicy(Rivals rivals)
    : LearnedPricesPolicy(ShippedPriceNetwork(), std::move(rivals)) {}

std::string_view LearnedPricesPolicy::name() const { return "learned-prices"; }

std::string_view LearnedPricesPolicy::description() const {
  return "the search of annealed-search at prices that a network learnt over "
         "many graphs (after DeepTM)";
}

absl::StatusOr<Plan> LearnedPricesPolicy::MakePlan(
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
        if (!search.IsOver()) {
          search.RunAtPrices([&](const auto&, const auto*) {
            return CostsAt(choices, kPlainPrices);
          });
        }
        if (search.best().ok() && search.WaitedShare() <= kMostWaiting) return;
        ConsiderRivals(rivals_, graph, system, options, search);
        search.Anneal();
      });
}

}  // namespace stowage::policies
