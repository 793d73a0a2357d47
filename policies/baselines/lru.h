// Does what demand mode does: it fetches a kernel's tensors when the kernel is
// about to run, makes room by evicting the tensor that was used longest ago,
// and waits for every copy.
//
//   LruPolicy lru;
//   absl::StatusOr<Plan> plan = lru.MakePlan(graph, system, options);
#ifndef STOWAGE_POLICIES_BASELINES_LRU_H_
#define STOWAGE_POLICIES_BASELINES_LRU_H_

#include <string_view>

#include "policies/plan/policy.h"

namespace stowage::policies {

class LruPolicy : public Policy {
 public:
  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BASELINES_LRU_H_
