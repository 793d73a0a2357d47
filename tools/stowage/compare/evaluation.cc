#include "tools/stowage/compare/evaluation.h"

#include <limits>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "policies/registry.h"
#include "policies/verify/verifier.h"
#include "server/placement/call_both.h"

namespace stowage::cli {
namespace {

absl::Status CheckPlan(const policies::Graph& graph,
                       const policies::MemorySystem& system,
                       const policies::Plan& plan) {
  absl::Status verdict = policies::VerifyPlan(graph, system, plan);
  if (verdict.ok()) return verdict;
  return absl::InternalError(
      absl::StrCat("policy ", plan.policy,
                   " made a plan that the verifier "
                   "rejects; nothing was written, report it: ",
                   verdict.message()));
}

}  // namespace

absl::StatusOr<Evaluation> MakeEvaluation(
    const policies::Graph& graph, const policies::MemorySystem& system,
    const std::string& policy_name, const policies::PlanOptions& options) {
  const absl::StatusOr<std::unique_ptr<policies::Policy>> policy =
      policies::MakePolicy(policy_name);
  if (!policy.ok()) return policy.status();
  return MakeEvaluation(graph, system, **policy, options);
}

absl::StatusOr<Evaluation> MakeEvaluation(
    const policies::Graph& graph, const policies::MemorySystem& system,
    const policies::Policy& policy, const policies::PlanOptions& options) {
  policies::PlanOptions with_threads = options;
  with_threads.call_both = CallBothAtOnce;
  const absl::Time begin = absl::Now();
  absl::StatusOr<policies::Plan> plan =
      policy.MakePlan(graph, system, with_threads);
  if (!plan.ok()) return plan.status();
  const absl::Duration planning_time = absl::Now() - begin;
  absl::Status checked = CheckPlan(graph, system, *plan);
  if (!checked.ok()) return checked;
  absl::StatusOr<policies::Simulation> simulation =
      policies::Simulate(graph, system, *plan);
  if (!simulation.ok()) return simulation.status();
  return Evaluation{.plan = *std::move(plan),
                    .simulation = *std::move(simulation),
                    .planning_time = planning_time};
}

absl::StatusOr<Evaluation> MakeAllFastEvaluation(
    const policies::Graph& graph, const policies::MemorySystem& system) {
  policies::MemorySystem unlimited = system;
  unlimited.tiers[policies::kFastTier].capacity_bytes = 0;
  constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max() / 2;
  return MakeEvaluation(graph, unlimited, "all-fast",
                        {.fast_limit_bytes = kNoLimit});
}

absl::StatusOr<int64_t> AllFastStepNs(const policies::Graph& graph,
                                      const policies::MemorySystem& system) {
  const absl::StatusOr<Evaluation> evaluation =
      MakeAllFastEvaluation(graph, system);
  if (!evaluation.ok()) return evaluation.status();
  return evaluation->plan.prediction.step_time_ns;
}

double RelativePerformance(const Evaluation& evaluation, int64_t all_fast_ns) {
  const int64_t step_time_ns = evaluation.plan.prediction.step_time_ns;
  if (step_time_ns == 0) return 1;
  return static_cast<double>(all_fast_ns) / static_cast<double>(step_time_ns);
}

nlohmann::json EvaluationToJson(const Evaluation& evaluation,
                                int64_t all_fast_ns) {
  const policies::Plan& plan = evaluation.plan;
  const policies::Prediction& prediction = plan.prediction;
  nlohmann::json json = {
      {"graph_id", plan.graph_id},
      {"system", plan.system},
      {"policy", plan.policy},
      {"fast_limit_bytes", plan.fast_limit_bytes},
      {"fits", plan.fits},
      {"move_count", plan.moves.size()},
      {"step_time_ns", prediction.step_time_ns},
      {"all_fast_step_time_ns", all_fast_ns},
      {"relative_performance", RelativePerformance(evaluation, all_fast_ns)},
      {"stall_ns", prediction.stall_ns},
      {"fast_peak_bytes", prediction.fast_peak_bytes},
      {"moved_in_bytes", prediction.moved_in_bytes},
      {"moved_out_bytes", prediction.moved_out_bytes},
      {"locality", prediction.locality},
      {"planning_seconds", absl::ToDoubleSeconds(evaluation.planning_time)},
      {"notes", plan.notes},
  };
  if (plan.solver_gap >= 0) json["solver_gap"] = plan.solver_gap;
  for (const policies::ImplementationChoice& choice : plan.implementations) {
    json["implementations"].push_back(
        {{"kernel", choice.kernel}, {"implementation", choice.implementation}});
  }
  return json;
}

}  // namespace stowage::cli
