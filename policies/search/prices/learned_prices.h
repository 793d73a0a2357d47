// Prices absences by a network, for a search. In the first round prices depend
// on what the absences are, in each later one also on what became of the round
// before.
//
//   LearnedPrices prices(costs, choices, network);
//   search.RunAtPrices(
//       [&](const std::vector<Choice>& chosen, const MoveSchedule* schedule) {
//         return prices.Price(chosen, schedule);
//       });
#ifndef STOWAGE_POLICIES_SEARCH_PRICES_LEARNED_PRICES_H_
#define STOWAGE_POLICIES_SEARCH_PRICES_LEARNED_PRICES_H_

#include <vector>

#include "policies/search/prices/absence_features.h"
#include "policies/search/prices/price_network.h"

namespace stowage::policies {

// Keeps references to its arguments. Not thread-safe.
class LearnedPrices {
 public:
  LearnedPrices(const CostModel& costs, const AbsenceChoices& choices,
                const PriceNetwork& network)
      : choices_(choices), network_(network), features_(costs, choices) {}

  // Returns the costs of absences, as PriceAbsences does.
  std::vector<double> Price(const std::vector<Choice>& chosen,
                            const MoveSchedule* schedule);

 private:
  const AbsenceChoices& choices_;
  const PriceNetwork& network_;
  AbsenceFeatures features_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_PRICES_LEARNED_PRICES_H_
