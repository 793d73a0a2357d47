// Plans as SwapAdvisor does (Huang et al., ASPLOS 2020): a genetic algorithm
// searches which tensors to swap between their uses.
//
//   SwapadvisorPolicy swapadvisor;
//   absl::StatusOr<Plan> plan = swapadvisor.MakePlan(graph, system, options);
#ifndef STOWAGE_POLICIES_BASELINES_SWAPADVISOR_H_
#define STOWAGE_POLICIES_BASELINES_SWAPADVISOR_H_

#include <string_view>

#include "policies/plan/policy.h"

namespace stowage::policies {

class SwapadvisorPolicy : public Policy {
 public:
  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BASELINES_SWAPADVISOR_H_
