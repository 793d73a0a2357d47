// Computes DeepTM's heat of tensors (IV-A): four characteristics, normalised
// and weighed.
//
//   NormaliseMinMax(living);   // what lives at one kernel
//   double heat = Heat(living[0], weights);
//
// Pure functions.
#ifndef STOWAGE_POLICIES_HEAT_HEAT_H_
#define STOWAGE_POLICIES_HEAT_HEAT_H_

#include <cstdint>
#include <vector>

#include "policies/heat/access_index.h"
#include "policies/model/graph.h"

namespace stowage::policies {

// Describes one living tensor at one kernel, in the order of Algorithm 1's
// heat.
struct Characteristics {
  double frequency = 0;  // f, future accesses
  double distance = 0;   // r, kernels until the next
  double size = 0;       // s, bytes
  double lifetime = 0;   // l, kernels
};

// Weighs the characteristics: w_f, w_r, w_s and w_l, all 1 as training begins
// (IV-A).
struct HeatWeights {
  double frequency = 1;
  double distance = 1;
  double size = 1;
  double lifetime = 1;
  bool operator==(const HeatWeights&) const = default;
};

Characteristics FindCharacteristics(const Graph& graph,
                                    const AccessIndex& accesses,
                                    TensorIndex tensor, KernelIndex kernel);

// Scales each characteristic to 0..1 over the living tensors of one kernel. A
// characteristic that is equal for all becomes 0.
void NormaliseMinMax(std::vector<Characteristics>& living);

// Returns H = f w_f - r w_r - s w_s + l w_l (Algorithm 1, line 9).
double Heat(const Characteristics& normalised, const HeatWeights& weights);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_HEAT_HEAT_H_
