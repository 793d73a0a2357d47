// Plans as DeepUM does (Jung et al., ASPLOS 2023): unified memory that
// prefetches what the following kernels used in the step before, and evicts
// ahead of need.
//
//   DeepumPolicy deepum;
//   absl::StatusOr<Plan> plan = deepum.MakePlan(graph, system, options);
#ifndef STOWAGE_POLICIES_BASELINES_DEEPUM_H_
#define STOWAGE_POLICIES_BASELINES_DEEPUM_H_

#include <string_view>

#include "policies/plan/policy.h"

namespace stowage::policies {

class DeepumPolicy : public Policy {
 public:
  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BASELINES_DEEPUM_H_
