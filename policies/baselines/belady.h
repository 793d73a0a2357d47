// Follows Belady's rule with foresight. When the fast tier is full, it evicts
// the tensor whose next use is farthest away, right after its last use, and
// fetches it ahead of its next use, both while kernels run.
//
//   BeladyPolicy belady;
//   absl::StatusOr<Plan> plan = belady.MakePlan(graph, system, options);
#ifndef STOWAGE_POLICIES_BASELINES_BELADY_H_
#define STOWAGE_POLICIES_BASELINES_BELADY_H_

#include <string_view>

#include "policies/plan/policy.h"

namespace stowage::policies {

class BeladyPolicy : public Policy {
 public:
  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BASELINES_BELADY_H_
