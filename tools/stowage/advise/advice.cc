#include "tools/stowage/advise/advice.h"

#include <memory>
#include <utility>

#include "server/placement/call_both.h"
#include "tools/stowage/compare/evaluation.h"
#include "tools/stowage/inputs/policy_spec.h"

namespace stowage::cli {
namespace {

// Returns the plan with the prediction of the simulator.
absl::StatusOr<policies::Plan> PredictedPlan(
    const policies::Graph& graph, const policies::MemorySystem& system,
    const policies::Policy& policy, int64_t limit_bytes,
    absl::Duration think_time) {
  absl::StatusOr<Evaluation> evaluation = MakeEvaluation(
      graph, system, policy,
      {.fast_limit_bytes = limit_bytes, .time_limit = think_time});
  if (!evaluation.ok()) return evaluation.status();
  evaluation->plan.prediction = evaluation->simulation.prediction;
  return std::move(evaluation->plan);
}

}  // namespace

absl::StatusOr<Advice> MakeAdvice(const policies::Graph& graph,
                                  const policies::MemorySystem& system,
                                  const AdviceSettings& settings) {
  const absl::StatusOr<std::unique_ptr<policies::Policy>> policy =
      MakePolicyFromSpec(settings.policy);
  if (!policy.ok()) return policy.status();
  absl::StatusOr<policies::JobEstimate> estimate = policies::EstimateJob(
      graph, system,
      [&](int64_t limit_bytes, absl::Duration think_time) {
        return PredictedPlan(graph, system, **policy, limit_bytes, think_time);
      },
      {.points = settings.points,
       .speeds = settings.speeds,
       .budget = settings.time,
       .call_both = CallBothAtOnce});
  if (!estimate.ok()) return estimate.status();
  return Advice{graph.name, system.name, *std::move(estimate)};
}

}  // namespace stowage::cli
