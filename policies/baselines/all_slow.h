// Keeps everything in slower tiers, as the floor with which other policies are
// compared. If no slower tier is addressable, each kernel's operands are staged
// for it alone.
//
//   AllSlowPolicy all_slow;
//   absl::StatusOr<Plan> plan = all_slow.MakePlan(graph, system, options);
#ifndef STOWAGE_POLICIES_BASELINES_ALL_SLOW_H_
#define STOWAGE_POLICIES_BASELINES_ALL_SLOW_H_

#include <string_view>

#include "policies/plan/policy.h"

namespace stowage::policies {

class AllSlowPolicy : public Policy {
 public:
  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BASELINES_ALL_SLOW_H_
