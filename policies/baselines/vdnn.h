// Plans as vDNN does (Rhu et al., MICRO 2016). It copies a feature map to the
// host while the layer that uses it last in the forward pass runs, and back
// during the layer before the one whose backward pass needs it. Each layer
// waits for its copies.
//
//   VdnnPolicy vdnn;
//   absl::StatusOr<Plan> plan = vdnn.MakePlan(graph, system, options);
#ifndef STOWAGE_POLICIES_BASELINES_VDNN_H_
#define STOWAGE_POLICIES_BASELINES_VDNN_H_

#include <string_view>

#include "policies/plan/policy.h"

namespace stowage::policies {

class VdnnPolicy : public Policy {
 public:
  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BASELINES_VDNN_H_
