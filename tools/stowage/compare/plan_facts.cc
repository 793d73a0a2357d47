#include "tools/stowage/compare/plan_facts.h"

#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "policies/redl/locality.h"
#include "policies/simulate/plan_usage.h"
#include "tools/stowage/compare/evaluation.h"
#include "tools/stowage/inputs/policy_spec.h"

namespace stowage::cli {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlanFacts, error, step_time_ns, stall_ns,
                                   fast_peak_bytes, moved_in_bytes,
                                   moved_out_bytes, locality, input_locality,
                                   output_locality, data_locality, memory_price,
                                   planning_seconds, solver_gap, notes)

namespace {

PlanFacts FactsOf(const policies::Graph& graph,
                  const policies::MemorySystem& system,
                  const Evaluation& evaluation) {
  const policies::Plan& plan = evaluation.plan;
  const policies::Prediction& prediction = plan.prediction;
  const policies::PlanUsage usage =
      policies::MeasurePlanUsage(graph, system, plan);
  return {.step_time_ns = prediction.step_time_ns,
          .stall_ns = prediction.stall_ns,
          .fast_peak_bytes = prediction.fast_peak_bytes,
          .moved_in_bytes = prediction.moved_in_bytes,
          .moved_out_bytes = prediction.moved_out_bytes,
          .locality = prediction.locality,
          .input_locality = usage.input_locality,
          .output_locality = usage.output_locality,
          .data_locality = policies::ComputeDataLocality(graph, plan).overall,
          .memory_price =
              policies::MemoryPriceUsd(system, usage.peak_bytes).value_or(-1),
          .planning_seconds = absl::ToDoubleSeconds(evaluation.planning_time),
          .solver_gap = plan.solver_gap,
          .notes = plan.notes};
}

}  // namespace

PlanFacts MakePlanFacts(const policies::Graph& graph,
                        const policies::MemorySystem& system,
                        const std::string& policy_spec,
                        const policies::PlanOptions& options) {
  const absl::StatusOr<std::unique_ptr<policies::Policy>> policy =
      MakePolicyFromSpec(policy_spec);
  if (!policy.ok()) return {.error = std::string(policy.status().message())};
  const absl::StatusOr<Evaluation> evaluation =
      MakeEvaluation(graph, system, **policy, options);
  if (evaluation.ok()) return FactsOf(graph, system, *evaluation);
  return {.error = std::string(evaluation.status().message())};
}

std::string ToText(const PlanFacts& facts) {
  return nlohmann::json(facts).dump(-1, ' ', false,
                                    nlohmann::json::error_handler_t::replace);
}

absl::StatusOr<PlanFacts> PlanFactsFromText(const std::string& text) {
  try {
    return nlohmann::json::parse(text).get<PlanFacts>();
  } catch (const nlohmann::json::exception& error) {
    return absl::InternalError(
        absl::StrCat("the planner's process wrote something that is not JSON: ",
                     error.what()));
  }
}

}  // namespace stowage::cli
