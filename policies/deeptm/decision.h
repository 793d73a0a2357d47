// Describes a decision on one living tensor at one kernel, as far as it does
// not depend on where tensors are.
//
//   DecisionDescriber describer(environment, budget_bytes);
//   std::vector<Decision> decisions =
//       describer.Describe(k, heat_table.rows[k]);
#ifndef STOWAGE_POLICIES_DEEPTM_DECISION_H_
#define STOWAGE_POLICIES_DEEPTM_DECISION_H_

#include <array>
#include <cstdint>
#include <vector>

#include "policies/heat/access_index.h"
#include "policies/heat/heat_table.h"
#include "policies/model/graph.h"

namespace stowage::policies {

class Environment;

struct Decision {
  // Names the inputs of the decision. None of them has a unit of the graph in
  // it.
  enum Feature {
    // f, r, s and l, as logarithms (HeatTable::Entry).
    kFrequency,
    kDistance,
    kSize,
    kLifetime,
    // The share of the room that the tensor takes together with all tensors
    // that are accessed sooner. The room is that of this kernel or the next,
    // whichever has less; all of it is 1/2.
    kDemand,
    // a / (a + b) for a and b: the time until the next access and the time of
    // the copy in; this kernel's time and the time of the slower copy; the time
    // that the next access loses with the tensor in slow memory and the time of
    // the copy in.
    kUrgency,
    kWindow,
    kWorth,
    kFeatureCount,
  };
  TensorIndex tensor = 0;
  float heat = 0;  // as HeatTable::Entry has it
  std::array<uint8_t, kFeatureCount> features = {};  // shares of 255
};

// Keeps a reference to the environment. Not thread-safe.
class DecisionDescriber {
 public:
  // `environment` knows its costs already. `budget_bytes` is as in RoomBytes.
  DecisionDescriber(const Environment& environment, int64_t budget_bytes);

  // Describes the decisions at kernel `k`. `row` has its living movable
  // tensors.
  std::vector<Decision> Describe(KernelIndex k,
                                 const std::vector<HeatTable::Entry>& row);

 private:
  void FindDemand(KernelIndex k, const std::vector<HeatTable::Entry>& row);
  double TimeUntilNs(KernelIndex k, KernelIndex kernels) const;
  double LossNs(KernelIndex k, TensorIndex t) const;

  const Environment& environment_;
  const int64_t budget_bytes_;
  const AccessIndex accesses_;
  std::vector<int64_t> kernel_ns_;    // by kernel, all fast
  std::vector<int64_t> boundary_ns_;  // by boundary of two steps
  std::vector<double> demand_;        // by tensor, of the last kernel
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_DECISION_H_
