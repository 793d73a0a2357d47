// Plans as ReDL does (Rang et al.). Short-lived tensors stay in fast memory
// ("idle migration"). Long-lived ones are fetched a migration period ahead of
// use ("dynamic migration"). A late one is used in slow memory ("direct slow
// memory access"). docs/policies-redl.md lists every deviation.
//
//   RedlPolicy redl;
//   absl::StatusOr<Plan> plan = redl.MakePlan(graph, system, options);
#ifndef STOWAGE_POLICIES_REDL_REDL_H_
#define STOWAGE_POLICIES_REDL_REDL_H_

#include <string_view>

#include "policies/plan/policy.h"

namespace stowage::policies {

class RedlPolicy : public Policy {
 public:
  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_REDL_REDL_H_
