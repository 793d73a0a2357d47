// Plans by a search and does what every search needs: the plan without moves
// where everything fits, the needs of kernels, notes.
//
//   absl::StatusOr<Plan> plan = PlanBySearching(
//       graph, system, options, "annealed-search",
//       [](const CostModel&, const AbsenceChoices&, Search& search) {
//         search.Run();
//       });
#ifndef STOWAGE_POLICIES_SEARCH_SEARCH_PLAN_H_
#define STOWAGE_POLICIES_SEARCH_SEARCH_PLAN_H_

#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "policies/plan/policy.h"
#include "policies/search/search.h"

namespace stowage::policies {

using RunSearch = absl::FunctionRef<void(
    const CostModel& costs, const AbsenceChoices& choices, Search& search)>;

// Plans by a search that `run` drives. Errors as in Policy::MakePlan and
// Search::best.
absl::StatusOr<Plan> PlanBySearching(const Graph& graph,
                                     const MemorySystem& system,
                                     const PlanOptions& options,
                                     std::string_view policy, RunSearch run);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_SEARCH_PLAN_H_
