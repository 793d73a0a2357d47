// Plans as G10 does (Zhang et al., MICRO 2023). It evicts tensors in the
// inactive periods that relieve the fast tier most for what their copies cost,
// to the SSD or the host as bandwidth allows, and prefetches them as early as
// there is room.
//
//   G10Policy g10;
//   absl::StatusOr<Plan> plan = g10.MakePlan(graph, system, options);
#ifndef STOWAGE_POLICIES_BASELINES_G10_H_
#define STOWAGE_POLICIES_BASELINES_G10_H_

#include <string_view>

#include "policies/plan/policy.h"

namespace stowage::policies {

class G10Policy : public Policy {
 public:
  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BASELINES_G10_H_
