#include "policies/heat/heat.h"

#include <algorithm>

namespace stowage::policies {

Characteristics FindCharacteristics(const Graph& graph,
                                    const AccessIndex& accesses,
                                    TensorIndex tensor, KernelIndex kernel) {
  return {
      .frequency = static_cast<double>(accesses.FutureAccesses(tensor, kernel)),
      .distance = static_cast<double>(accesses.FutureDistance(tensor, kernel)),
      .size = static_cast<double>(graph.tensors[tensor].size_bytes),
      .lifetime = static_cast<double>(accesses.Lifetime(tensor))};
}

void NormaliseMinMax(std::vector<Characteristics>& living) {
  if (living.empty()) return;
  for (double Characteristics::*which :
       {&Characteristics::frequency, &Characteristics::distance,
        &Characteristics::size, &Characteristics::lifetime}) {
    double low = living.front().*which, high = low;
    for (const Characteristics& c : living) {
      low = std::min(low, c.*which);
      high = std::max(high, c.*which);
    }
    const double range = high - low;
    for (Characteristics& c : living) {
      c.*which = range > 0 ? (c.*which - low) / range : 0;
    }
  }
}

double Heat(const Characteristics& normalised, const HeatWeights& weights) {
  return normalised.frequency * weights.frequency -
         normalised.distance * weights.distance -
         normalised.size * weights.size +
         normalised.lifetime * weights.lifetime;
}

}  // namespace stowage::policies
