#include "policies/deeptm/heat_policy.h"

#include <memory>

#include "policies/deeptm/heat_actor.h"
#include "policies/deeptm/rollout.h"

namespace stowage::policies {

std::string_view DeepTmHeatPolicy::name() const {
  return mode_ == MigrationMode::kSynchronous ? "deeptm-heat-sync"
                                              : "deeptm-heat";
}

std::string_view DeepTmHeatPolicy::description() const {
  return mode_ == MigrationMode::kSynchronous
             ? "keep the hottest tensors fast, migrating before each kernel "
               "(DeepTM without DRL)"
             : "keep the hottest tensors fast, migrating beside each kernel "
               "(DeepTM without DRL)";
}

absl::StatusOr<Plan> DeepTmHeatPolicy::MakePlan(
    const Graph& graph, const MemorySystem& system,
    const PlanOptions& options) const {
  return PlanByActing(
      graph, system, options, name(), mode_, settings_,
      [&](const Environment& environment, int64_t budget_bytes) {
        return std::make_unique<HeatActor>(environment, budget_bytes,
                                           settings_);
      });
}

}  // namespace stowage::policies
