#include "policies/deeptm/dqn/reward.h"

#include <algorithm>

namespace stowage::policies {

double NormalisedTime(const Environment& environment, int64_t step_time_ns) {
  const int64_t range_ns =
      std::max<int64_t>(1, environment.slowest_ns() - environment.fastest_ns());
  return static_cast<double>(step_time_ns - environment.fastest_ns()) /
         range_ns;
}

double NormalisedPrice(const Environment& environment,
                       const EpisodeOutcome& outcome,
                       const UnitPrices& prices) {
  const double peak = static_cast<double>(environment.peak_bytes());
  const double cheapest = prices.slow_usd_per_gb * peak;
  const double range = prices.fast_usd_per_gb * peak - cheapest;
  if (range <= 0) return 0;
  const double paid = prices.slow_usd_per_gb * outcome.slow_peak_bytes +
                      prices.fast_usd_per_gb * outcome.fast_peak_bytes;
  return (paid - cheapest) / range;
}

double EpisodicReward(const Environment& environment,
                      const EpisodeOutcome& outcome,
                      const DqnSettings& settings, const UnitPrices& prices) {
  const double beta = settings.cost_priority;
  const double time = settings.fixed_reward *
                      (1 - NormalisedTime(environment, outcome.step_time_ns));
  if (prices.fast_usd_per_gb == 0) return beta * time;
  const double price = settings.fixed_reward *
                       (1 - NormalisedPrice(environment, outcome, prices));
  return beta * time + (1 - beta) * price;
}

}  // namespace stowage::policies
