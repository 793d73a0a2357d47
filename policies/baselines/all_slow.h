// Keeps everything in slower tiers: the floor that other policies are compared
// with. Where no slower tier is addressable, each kernel's operands are staged
// for it alone.
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
