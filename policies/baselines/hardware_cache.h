// Runs a step in Optane's memory mode: the memory controller uses the fast tier
// as a direct-mapped, write-back cache of the slower one.
//
//   HardwareCachePolicy hardware_cache;
//   absl::StatusOr<Plan> plan = hardware_cache.MakePlan(graph, system, options);
//
// No software moves anything, so the plan places every movable tensor in the
// slower tier and has no moves. The policy simulates the cache itself. The
// plan's prediction is that of this simulation, since Simulate() knows only
// planned moves.
#ifndef STOWAGE_POLICIES_BASELINES_HARDWARE_CACHE_H_
#define STOWAGE_POLICIES_BASELINES_HARDWARE_CACHE_H_

#include <string_view>

#include "policies/plan/policy.h"

namespace stowage::policies {

// Needs an addressable slower tier; fails with FAILED_PRECONDITION without one.
class HardwareCachePolicy : public Policy {
 public:
  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BASELINES_HARDWARE_CACHE_H_
