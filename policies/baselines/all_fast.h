// Keeps everything in the fast tier, or fails and says how much that would
// take.
//
//   AllFastPolicy all_fast;
//   absl::StatusOr<Plan> plan = all_fast.MakePlan(graph, system, options);
#ifndef STOWAGE_POLICIES_BASELINES_ALL_FAST_H_
#define STOWAGE_POLICIES_BASELINES_ALL_FAST_H_

#include <string_view>

#include "policies/plan/policy.h"

namespace stowage::policies {

class AllFastPolicy : public Policy {
 public:
  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BASELINES_ALL_FAST_H_
