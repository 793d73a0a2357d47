// Follows the improved active list (Yan et al., "Nimble", ASPLOS 2019; Sentinel
// VII-B). Pages that are used twice become active and are exchanged for those
// that have been in the fast tier longest.
//
//   IalPolicy ial;
//   absl::StatusOr<Plan> plan = ial.MakePlan(graph, system, options);
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
