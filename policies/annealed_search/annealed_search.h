// Is the default planner. It chooses the absences from the fast tier that cost
// least, schedules their copies by simulating the step, learns where kernels
// still wait and chooses again. Then it lays out addresses, and improves the
// best plan, its own or another planner's, by small changes.
//
//   AnnealedSearchPolicy search(std::move(rivals), std::move(learned_prices));
//   absl::StatusOr<Plan> plan = search.MakePlan(graph, system, options);
//
// docs/policies-annealed-search.md describes it.
#ifndef STOWAGE_POLICIES_ANNEALED_SEARCH_ANNEALED_SEARCH_H_
#define STOWAGE_POLICIES_ANNEALED_SEARCH_ANNEALED_SEARCH_H_

#include <memory>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "policies/plan/policy.h"
#include "policies/search/rivals.h"

namespace stowage::policies {

// Stateless and safe to call from several threads.
class AnnealedSearchPolicy : public Policy {
 public:
  // `learned_prices` searches a second time where that is worth it.
  AnnealedSearchPolicy(Rivals rivals,
                       std::unique_ptr<const Policy> learned_prices)
      : rivals_(std::move(rivals)),
        learned_prices_(std::move(learned_prices)) {}

  std::string_view name() const override;
  std::string_view description() const override;
  PolicyCapabilities capabilities() const override {
    return {.plans_briefly = true};
  }
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;

 private:
  const Rivals rivals_;
  const std::unique_ptr<const Policy> learned_prices_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_ANNEALED_SEARCH_ANNEALED_SEARCH_H_
