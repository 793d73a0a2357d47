#include "policies/stow/stow.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "policies/baselines/belady.h"
#include "policies/planning/plan_policy.h"
#include "policies/stow/search.h"

namespace stowage {
namespace {

// Belady's rule takes too long for larger graphs.
constexpr KernelIndex kMaxKernelsForBelady = 2000;

// The plan of the search, or the one of Belady's rule where that is faster: the
// two fail on different graphs.
absl::StatusOr<Plan> Faster(absl::StatusOr<Plan> searched,
                            absl::StatusOr<Plan> belady) {
  if (!searched.ok()) return belady;
  if (!belady.ok()) return searched;
  return belady->prediction.step_time_ns < searched->prediction.step_time_ns
             ? belady
             : searched;
}

}  // namespace

std::string_view StowPolicy::name() const { return "stow"; }

std::string_view StowPolicy::description() const {
  return "take the cheapest absences from the fast tier, schedule their copies "
         "by simulation, learn where kernels wait";
}

absl::StatusOr<Plan> StowPolicy::MakePlan(const Graph& graph,
                                          const MemorySystem& system,
                                          const PlanOptions& options) const {
  std::optional<Plan> fits = PlanWithoutMoves(graph, system, options, name());
  if (fits.has_value()) return *std::move(fits);
  absl::StatusOr<Workload> workload =
      MakeWorkload(graph, system, EffectiveLimit(system, options));
  if (!workload.ok()) return workload.status();
  const CostModel costs(graph, system, *workload);
  const AbsenceChoices choices = FindAbsences(graph, *workload, costs);
  absl::StatusOr<Plan> searched = Search(costs, choices, {}).FindPlan();
  if (searched.ok()) {
    searched = FinishPlan(graph, system, name(), *std::move(searched));
  }
  if (searched.ok() && graph.kernel_count() > kMaxKernelsForBelady) {
    return searched;
  }
  absl::StatusOr<Plan> plan = Faster(
      std::move(searched), BeladyPolicy().MakePlan(graph, system, options));
  if (plan.ok()) plan->policy = std::string(name());
  return plan;
}

}  // namespace stowage
