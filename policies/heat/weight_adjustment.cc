#include "policies/heat/weight_adjustment.h"

#include <algorithm>
#include <numeric>

namespace stowage::policies {
namespace {

// Runs lines 8 to 13.
void ComputeHeat(const std::vector<Characteristics>& normalised,
                 const std::vector<int64_t>& bytes, WeightAdjustment& result) {
  result.hot_bytes = 0;
  for (size_t i = 0; i < normalised.size(); ++i) {
    result.heat[i] = Heat(normalised[i], result.weights);
    if (result.heat[i] >= kHotThreshold) result.hot_bytes += bytes[i];
  }
}

// Returns 1 if too much is hot, -1 if too little is, else 0.
int Imbalance(int64_t hot_bytes, int64_t fast_limit_bytes) {
  const auto hot = static_cast<double>(hot_bytes);
  const auto limit = static_cast<double>(fast_limit_bytes);
  if (hot >= kTooHot * limit) return 1;
  return hot <= kTooCold * limit ? -1 : 0;
}

}  // namespace

WeightAdjustment AdjustWeights(const std::vector<Characteristics>& normalised,
                               const std::vector<int64_t>& bytes,
                               int64_t fast_limit_bytes,
                               const HeatWeights& weights) {
  WeightAdjustment result{.weights = weights,
                          .heat = std::vector<double>(normalised.size())};
  ComputeHeat(normalised, bytes, result);
  const int64_t living_bytes =
      std::accumulate(bytes.begin(), bytes.end(), int64_t{0});
  if (Imbalance(living_bytes, fast_limit_bytes) < 0) return result;
  const bool high_pressure =
      living_bytes >= kHighPressure * static_cast<double>(fast_limit_bytes);
  double& weight =
      high_pressure ? result.weights.size : result.weights.distance;
  // Both weights lower the heat, so the loop raises them if too much is hot.
  const int first = Imbalance(result.hot_bytes, fast_limit_bytes);
  int imbalance = first;
  while (imbalance != 0 && imbalance == first) {
    const double next = std::clamp(weight * (1 + imbalance * kWeightStep),
                                   kLowestWeight, kHighestWeight);
    if (next == weight) break;
    weight = next;
    ++result.adjustments;
    ComputeHeat(normalised, bytes, result);
    imbalance = Imbalance(result.hot_bytes, fast_limit_bytes);
  }
  return result;
}

}  // namespace stowage::policies
