#include "policies/stow/stow.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "policies/baselines/belady.h"
#include "policies/planning/plan_policy.h"
#include "policies/planning/profile_note.h"
#include "policies/stow/search.h"

namespace stowage {
namespace {

// Belady's rule takes too long for larger graphs.
constexpr KernelIndex kMaxKernelsForBelady = 2000;

// Longer limits are spent on more schedules and layouts.
constexpr absl::Duration kLongLimit = absl::Seconds(2);

SearchEffort EffortFor(const PlanOptions& options) {
  SearchEffort effort;
  if (options.time_limit <= absl::ZeroDuration()) return effort;
  effort.deadline = absl::Now() + options.time_limit;
  if (options.time_limit >= kLongLimit) {
    effort.rounds = 8;
    effort.layouts = 80;
    effort.layout_segments = 1'000'000;
  }
  return effort;
}

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
  Search search(costs, choices, EffortFor(options));
  absl::StatusOr<Plan> plan = search.FindPlan();
  if (plan.ok()) plan = FinishPlan(graph, system, name(), *std::move(plan));
  if (!plan.ok() || graph.kernel_count() <= kMaxKernelsForBelady) {
    plan = Faster(std::move(plan),
                  BeladyPolicy().MakePlan(graph, system, options));
  }
  if (!plan.ok()) return plan.status();
  plan->policy = std::string(name());
  if (search.timed_out()) {
    plan->notes.push_back(
        "The time limit ended the search before all it would have tried.");
  }
  if (const auto note = DerivedProfileNote(graph, system)) {
    plan->notes.push_back(*note);
  }
  return plan;
}

}  // namespace stowage
