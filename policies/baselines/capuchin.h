// Capuchin: the tensors with the longest free time between two accesses are
// swapped until the rest fits; says what it would recompute instead (Peng et
// al., ASPLOS 2020).
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
