#include "policies/stow/stow.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "policies/baselines/belady.h"
#include "policies/baselines/g10.h"
#include "policies/planning/plan_policy.h"
#include "policies/planning/profile_note.h"
#include "policies/sentinel/sentinel.h"
#include "policies/stow/search.h"

namespace stowage {
namespace {

// The baselines' planners take too long for larger graphs.
constexpr KernelIndex kMaxKernelsForBaselines = 3000;

// Of the time of a step in which nothing is waited for.
constexpr double kMostWaitingForBelady = 0.1;

// Longer limits are spent on more schedules and layouts.
constexpr absl::Duration kLongLimit = absl::Seconds(2);

SearchEffort EffortFor(const PlanOptions& options) {
  SearchEffort effort;
  if (options.time_limit <= absl::ZeroDuration()) return effort;
  effort.deadline = absl::Now() + options.time_limit;
  if (options.time_limit >= kLongLimit) {
    effort.rounds = 8;
    effort.layouts = 80;
    effort.work = 20'000'000;
  }
  return effort;
}

void ConsiderBaseline(const Policy& baseline, const Graph& graph,
                      const MemorySystem& system, const PlanOptions& options,
                      Search& search) {
  if (search.IsOver()) return;
  absl::StatusOr<Plan> plan = baseline.MakePlan(graph, system, options);
  if (plan.ok()) search.Consider(*std::move(plan));
}

// Each wins on graphs on which the search does not: Belady's rule where nearly
// all copies hide, G10 where lanes of several tiers share much work, Sentinel
// where it pays to reserve room for what lives shortly.
void ConsiderBaselines(const Graph& graph, const MemorySystem& system,
                       const PlanOptions& options, Search& search) {
  if (graph.kernel_count() > kMaxKernelsForBaselines) return;
  if (search.WaitedShare() < kMostWaitingForBelady) {
    ConsiderBaseline(BeladyPolicy(), graph, system, options, search);
  }
  ConsiderBaseline(G10Policy(), graph, system, options, search);
  if (!HasAddressableSlowTier(system)) return;
  ConsiderBaseline(SentinelPolicy(), graph, system, options, search);
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
  search.Run();
  ConsiderBaselines(graph, system, options, search);
  absl::StatusOr<Plan> plan = search.best();
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
