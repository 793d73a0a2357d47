// Makes plans as DeepTM does without its DRL optimiser (figure 14, "without"):
// every kernel that is short of fast memory keeps the hottest tensors there.
// Named deeptm-heat and deeptm-heat-sync.
//
//   DeepTmHeatPolicy heat(MigrationMode::kAsynchronous);
//   absl::StatusOr<Plan> plan = heat.MakePlan(graph, system, options);
#ifndef STOWAGE_POLICIES_DEEPTM_HEAT_POLICY_H_
#define STOWAGE_POLICIES_DEEPTM_HEAT_POLICY_H_

#include <string_view>

#include "policies/deeptm/migration_mode.h"
#include "policies/heat/heat_table.h"
#include "policies/plan/policy.h"

namespace stowage::policies {

class DeepTmHeatPolicy : public Policy {
 public:
  // `settings` with a single characteristic serve the study of figure 4.
  explicit DeepTmHeatPolicy(MigrationMode mode, HeatSettings settings = {})
      : mode_(mode), settings_(settings) {}

  std::string_view name() const override;
  std::string_view description() const override;
  // Fails with RESOURCE_EXHAUSTED as MakeHeatTable does.
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;

 private:
  const MigrationMode mode_;
  const HeatSettings settings_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_HEAT_POLICY_H_
