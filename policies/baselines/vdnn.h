// vDNN: feature maps are copied to the host while the layer that used them last
// in the forward pass runs, and back during the layer before the one whose
// backward pass needs them; each layer waits for its copies (Rhu et al., MICRO
// 2016).
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
