#include "policies/baselines/all_slow.h"

#include "policies/planning/plan_policy.h"
#include "policies/planning/staging.h"

namespace stowage::policies {

std::string_view AllSlowPolicy::name() const { return "all-slow"; }

std::string_view AllSlowPolicy::description() const {
  return "everything in slower tiers; staged per kernel where kernels cannot "
         "use them in place";
}

absl::StatusOr<Plan> AllSlowPolicy::MakePlan(const Graph& graph,
                                             const MemorySystem& system,
                                             const PlanOptions& options) const {
  return PlanByDeciding(graph, system, options, name(),
                        [&](const Workload& workload, int64_t) {
                          return HasAddressableSlowTier(system)
                                     ? ImmovableResidencies(graph)
                                     : StagedResidencies(graph, workload);
                        });
}

}  // namespace stowage::policies
