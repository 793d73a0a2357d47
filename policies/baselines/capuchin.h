// Plans as Capuchin does (Peng et al., ASPLOS 2020). It swaps the tensors with
// the longest free time between two accesses until the rest fits, and says what
// Capuchin would recompute instead.
//
//   CapuchinPolicy capuchin;
//   absl::StatusOr<Plan> plan = capuchin.MakePlan(graph, system, options);
#ifndef STOWAGE_POLICIES_BASELINES_CAPUCHIN_H_
#define STOWAGE_POLICIES_BASELINES_CAPUCHIN_H_

#include <string_view>

#include "policies/plan/policy.h"

namespace stowage::policies {

class CapuchinPolicy : public Policy {
 public:
  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BASELINES_CAPUCHIN_H_
