// Plans as FlashNeuron does (Bae et al., FAST 2021). It offloads feature maps
// to the SSD in the order of the forward pass until the rest fits, and
// prefetches them in the backward pass.
//
//   FlashneuronPolicy flashneuron;
//   absl::StatusOr<Plan> plan = flashneuron.MakePlan(graph, system, options);
#ifndef STOWAGE_POLICIES_BASELINES_FLASHNEURON_H_
#define STOWAGE_POLICIES_BASELINES_FLASHNEURON_H_

#include <string_view>

#include "policies/plan/policy.h"

namespace stowage::policies {

class FlashneuronPolicy : public Policy {
 public:
  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BASELINES_FLASHNEURON_H_
