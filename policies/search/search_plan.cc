#include "policies/search/search_plan.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "policies/planning/plan_policy.h"
#include "timing/steady_now.h"

namespace stowage::policies {
namespace {

// Longer limits are spent on longer annealing.
constexpr absl::Duration kLongLimit = absl::Seconds(2);

SearchEffort EffortFor(const PlanOptions& options) {
  SearchEffort effort{.seed = static_cast<uint64_t>(options.seed),
                      .cancellation = options.cancellation};
  if (options.time_limit <= absl::ZeroDuration()) return effort;
  effort.deadline = SteadyNow() + options.time_limit;
  if (options.time_limit >= kLongLimit) {
    effort.longer_annealings = 5;
  }
  return effort;
}

}  // namespace

absl::StatusOr<Plan> PlanBySearching(const Graph& graph,
                                     const MemorySystem& system,
                                     const PlanOptions& options,
                                     std::string_view policy, RunSearch run) {
  std::optional<Plan> fits = PlanWithoutMoves(graph, system, options, policy);
  if (fits.has_value()) return *std::move(fits);
  absl::StatusOr<Workload> workload = MakeWorkload(
      graph, system, EffectiveLimit(system, options), options.cancellation);
  if (!workload.ok()) return workload.status();
  const CostModel costs(graph, system, *workload);
  const AbsenceChoices choices = FindAbsences(graph, *workload, costs);
  Search search(costs, choices, EffortFor(options));
  run(costs, choices, search);
  const absl::Status wanted = options.cancellation.Check();
  if (!wanted.ok()) return wanted;
  absl::StatusOr<Plan> plan = search.best();
  if (!plan.ok()) return plan.status();
  plan->policy = std::string(policy);
  if (search.timed_out()) {
    plan->notes.push_back(
        "The time limit ended the search before it had tried everything.");
  }
  NoteDerivedTimes(graph, system, *plan);
  return plan;
}

}  // namespace stowage::policies
