#include "policies/deeptm/rollout.h"

#include <optional>
#include <utility>
#include <vector>

#include "policies/aggregation/aggregator.h"
#include "policies/planning/plan_policy.h"

namespace stowage::policies {

absl::StatusOr<Plan> PlanByActing(const Graph& graph,
                                  const MemorySystem& system,
                                  const PlanOptions& options,
                                  std::string_view policy, MigrationMode mode,
                                  const HeatSettings& heat,
                                  MakeActor make_actor) {
  if (auto fits = PlanWithoutMoves(graph, system, options, policy)) {
    return *std::move(fits);
  }
  // The environment depends on the limit, not on the budgets that are tried.
  absl::StatusOr<Workload> workload = MakeWorkload(
      graph, system, EffectiveLimit(system, options), options.cancellation);
  if (!workload.ok()) return workload.status();
  const absl::StatusOr<Environment> environment =
      Environment::Make(graph, system, *workload, mode, heat);
  if (!environment.ok()) return environment.status();
  return PlanInEnvironment(*environment, system, options, policy, make_actor);
}

absl::StatusOr<Plan> PlanInEnvironment(const Environment& environment,
                                       const MemorySystem& system,
                                       const PlanOptions& options,
                                       std::string_view policy,
                                       MakeActor make_actor) {
  const Graph& graph = environment.graph();
  std::optional<std::vector<bool>> start;
  absl::StatusOr<Plan> plan = PlanByDeciding(
      graph, system, options, policy,
      [&](const Workload&, int64_t budget_bytes) {
        const std::unique_ptr<Actor> actor =
            make_actor(environment, budget_bytes);
        const EpisodeOptions episode{
            .budget_bytes = budget_bytes, .record = true, .cyclic = true};
        if (!start.has_value()) {
          start = FindSteadyStart(environment, episode, *actor);
        }
        return PlacementDecision(
            RunEpisode(environment, episode, *start, *actor).residencies);
      });
  if (!plan.ok()) return plan.status();
  return AggregatePlan(graph, system, *std::move(plan));
}

}  // namespace stowage::policies
