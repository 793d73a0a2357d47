#include "server/training/candidate.h"

#include <algorithm>
#include <cstdint>

#include "policies/model/liveness.h"

namespace stowage {
namespace {

double Price(const policies::Prediction& prediction, int64_t peak_bytes,
             const policies::UnitPrices& prices) {
  const auto fast_bytes = static_cast<double>(prediction.fast_peak_bytes);
  const double slow_bytes =
      std::max(0.0, static_cast<double>(peak_bytes) - fast_bytes);
  return fast_bytes * prices.fast_usd_per_gb +
         slow_bytes * prices.slow_usd_per_gb;
}

// Returns `candidate` over `serving`; 1 if both are 0.
double Ratio(double candidate, double serving) {
  if (serving > 0) return candidate / serving;
  return candidate > 0 ? 2 : 1;
}

}  // namespace

double RelativeCost(const policies::Graph& graph,
                    const policies::DqnSettings& settings,
                    const policies::UnitPrices& prices,
                    const policies::Prediction& candidate,
                    const policies::Prediction& serving) {
  const double time = Ratio(static_cast<double>(candidate.step_time_ns),
                            static_cast<double>(serving.step_time_ns));
  if (prices.fast_usd_per_gb <= 0 || prices.slow_usd_per_gb <= 0) return time;
  const int64_t peak_bytes = policies::ComputeLiveness(graph).peak_bytes;
  const double price = Ratio(Price(candidate, peak_bytes, prices),
                             Price(serving, peak_bytes, prices));
  return settings.cost_priority * time + (1 - settings.cost_priority) * price;
}

}  // namespace stowage
