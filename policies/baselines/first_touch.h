// Places tensors as NUMA's first touch does. A tensor goes where there is room
// as it is allocated, the fast tier first, and never moves.
//
//   FirstTouchPolicy first_touch;
//   absl::StatusOr<Plan> plan = first_touch.MakePlan(graph, system, options);
#ifndef STOWAGE_POLICIES_BASELINES_FIRST_TOUCH_H_
#define STOWAGE_POLICIES_BASELINES_FIRST_TOUCH_H_

#include <string_view>

#include "policies/plan/policy.h"

namespace stowage::policies {

// Needs an addressable slower tier; fails with FAILED_PRECONDITION without one.
class FirstTouchPolicy : public Policy {
 public:
  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BASELINES_FIRST_TOUCH_H_
