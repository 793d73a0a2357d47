// Runs AutoTM's loop: solve, lay out addresses, lower the limits of the kernels
// where they do not fit, solve again (section 4.2).
//
//   SearchOutcome outcome =
//       Search(graph, system, workload, rules, solver, settings);
//   if (!outcome.plan.ok()) return outcome.plan.status();
#ifndef STOWAGE_POLICIES_AUTOTM_SEARCH_H_
#define STOWAGE_POLICIES_AUTOTM_SEARCH_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policies/autotm/flow_problem.h"
#include "policies/plan/plan.h"
#include "policies/planning/workload.h"
#include "policies/solver/solver.h"

namespace stowage::policies {

struct SearchSettings {
  absl::Duration time_limit = absl::Seconds(30);
  int node_limit = 0;
  double gap = 0;
  int32_t seed = 1;
};

struct SearchOutcome {
  absl::StatusOr<Plan> plan;
  // The objective of the plan's paths, and the bound that is proven for all
  // paths under the full limits.
  double objective_ns = 0;
  double bound_ns = 0;
  int rounds = 0;              // programs solved
  bool reached_limit = false;  // some program was not solved to its gap
  // The plan is not a solution of a program, but one with the tensors that
  // found no address made slow.
  bool demoted = false;
};

// Runs the loop. `workload` is the one of the smallest implementations.
SearchOutcome Search(const Graph& graph, const MemorySystem& system,
                     const Workload& workload, const FlowRules& rules,
                     const Solver& solver, const SearchSettings& settings);

// Returns `plan`, made for `graph` as it runs with `choices`, as a plan of
// `graph`.
Plan WithChoices(const Graph& graph, std::vector<ImplementationChoice> choices,
                 Plan plan);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AUTOTM_SEARCH_H_
