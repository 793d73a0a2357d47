// The improved active list: pages that are used twice become active and are
// exchanged for those that have been in the fast tier longest (Yan et al.,
// "Nimble", ASPLOS 2019; Sentinel VII-B).
#ifndef STOWAGE_POLICIES_BASELINES_IAL_H_
#define STOWAGE_POLICIES_BASELINES_IAL_H_

#include <string_view>

#include "policies/plan/policy.h"

namespace stowage::policies {

class IalPolicy : public Policy {
 public:
  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BASELINES_IAL_H_
