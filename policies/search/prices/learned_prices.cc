#include "policies/search/prices/learned_prices.h"

#include <algorithm>
#include <cstdint>

namespace stowage::policies {

std::vector<double> LearnedPrices::Price(const std::vector<Choice>& chosen,
                                         const MoveSchedule* schedule) {
  if (schedule == nullptr) {
    features_.Forget();
  } else {
    features_.Observe(chosen, *schedule);
  }
  std::vector<double> costs;
  costs.reserve(choices_.absences.size());
  for (size_t a = 0; a < choices_.absences.size(); ++a) {
    const Absence& absence = choices_.absences[a];
    const PriceFactors factors = network_.Evaluate(features_.Of(a));
    const double cost =
        factors.out * static_cast<double>(absence.out_ns) +
        factors.in * static_cast<double>(absence.in_ns) +
        factors.slow_use *
            static_cast<double>(std::max<int64_t>(0, absence.penalty_ns) +
                                absence.exposed_ns);
    costs.push_back(std::max(1.0, cost));
  }
  return costs;
}

}  // namespace stowage::policies
