// Runs a step on unified memory. Tensors are faulted in as a kernel touches
// them, and those that were used longest ago are paged out to make room. Every
// copy is waited for, and faults cost more than plain copies.
//
//   UnifiedMemoryPolicy unified_memory;
//   absl::StatusOr<Plan> plan = unified_memory.MakePlan(graph, system, options);
#ifndef STOWAGE_POLICIES_BASELINES_UNIFIED_MEMORY_H_
#define STOWAGE_POLICIES_BASELINES_UNIFIED_MEMORY_H_

#include <string_view>

#include "policies/plan/policy.h"

namespace stowage::policies {

class UnifiedMemoryPolicy : public Policy {
 public:
  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BASELINES_UNIFIED_MEMORY_H_
