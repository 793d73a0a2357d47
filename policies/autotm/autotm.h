// Plans as AutoTM does (Hildebrand et al., ASPLOS 2020): an integer program
// chooses where every tensor is at every kernel. docs/policies-autotm.md has
// the equations.
//
//   AutoTmPolicy policy(Movement::kSynchronous);
//   absl::StatusOr<Plan> plan = policy.MakePlan(
//       graph, system, {.fast_limit_bytes = 1 << 30,
//                       .time_limit = absl::Seconds(10)});
//   // plan->solver_gap and plan->notes say what was proven
#ifndef STOWAGE_POLICIES_AUTOTM_AUTOTM_H_
#define STOWAGE_POLICIES_AUTOTM_AUTOTM_H_

#include <memory>

#include "policies/autotm/flow_problem.h"
#include "policies/plan/policy.h"
#include "policies/solver/solver.h"

namespace stowage::policies {

class AutoTmPolicy : public Policy {
 public:
  // Solves with CBC if no other solver is given.
  explicit AutoTmPolicy(Movement movement,
                        std::shared_ptr<const Solver> solver = nullptr);

  // Returns "autotm-static", "autotm-sync" or "autotm-async".
  std::string_view name() const override;
  std::string_view description() const override;
  PolicyCapabilities capabilities() const override {
    return {.chooses_implementations = true};
  }

  // Blocks for up to the time limit, 30 s by default. FAILED_PRECONDITION also
  // if autotm-static finds no slower tier that kernels can use in place.
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;

 private:
  Movement movement_;
  std::shared_ptr<const Solver> solver_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AUTOTM_AUTOTM_H_
