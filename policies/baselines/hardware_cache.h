// Optane's memory mode: the fast tier is a direct-mapped, write-back cache of
// the slower one, run by the memory controller.
//
// No software moves anything, so the plan places every movable tensor in the
// slower tier and has no moves. What the cache does is simulated here, and the
// plan's prediction is that simulation's, not Simulate()'s, which knows only
// planned moves.
#ifndef STOWAGE_POLICIES_BASELINES_HARDWARE_CACHE_H_
#define STOWAGE_POLICIES_BASELINES_HARDWARE_CACHE_H_

#include <string_view>

#include "policies/plan/policy.h"

namespace stowage::policies {

// Needs an addressable slower tier: FAILED_PRECONDITION without one.
class HardwareCachePolicy : public Policy {
 public:
  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BASELINES_HARDWARE_CACHE_H_
