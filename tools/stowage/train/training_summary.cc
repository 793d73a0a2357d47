#include "tools/stowage/train/training_summary.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policies/deeptm/dqn/dqn_planner.h"
#include "policies/scaling/rehosting.h"
#include "tools/stowage/output/table.h"
#include "tools/stowage/output/units.h"

namespace stowage::cli {
namespace {

using nlohmann::json;

constexpr const char* kCompared[] = {"first-touch", "lru", "belady"};

json EpisodeToJson(const v1::Episode& episode) {
  return {{"episode", episode.episode()},
          {"greedy_probability", episode.greedy_probability()},
          {"loss", episode.loss()},
          {"reward", episode.reward()},
          {"step_time_ns", episode.step_time_ns()},
          {"out_of_memory", episode.out_of_memory()}};
}

json EpisodesToJson(const std::vector<v1::Episode>& episodes) {
  json array = json::array();
  for (const v1::Episode& episode : episodes) {
    array.push_back(EpisodeToJson(episode));
  }
  return array;
}

json RowToJson(const SummaryRow& row, int64_t all_fast_ns) {
  if (row.evaluation.ok())
    return EvaluationToJson(*row.evaluation, all_fast_ns);
  return {{"policy", row.policy},
          {"error", std::string(row.evaluation.status().message())}};
}

// Says where the durations come from: `graph show` shows the same graph's
// durations as they were measured.
std::string DurationsToText(const TrainingSummary& summary) {
  if (summary.durations != "rehosted") return summary.durations + "\n";
  return absl::StrCat("rehosted to ", summary.processor,
                      "; --keep-durations uses them as measured\n");
}

std::string PlansToText(const TrainingSummary& summary) {
  Table table({"policy", "step", "relative", "fast peak", "stall"});
  std::string errors;
  for (const SummaryRow& row : summary.rows) {
    if (!row.evaluation.ok()) {
      table.AddRow({row.policy, "infeasible"});
      absl::StrAppend(&errors, row.policy, ": ",
                      row.evaluation.status().message(), "\n");
      continue;
    }
    const policies::Prediction& p = row.evaluation->plan.prediction;
    table.AddRow(
        {row.policy, FormatDurationNs(p.step_time_ns),
         absl::StrFormat(
             "%.3f", RelativePerformance(*row.evaluation, summary.all_fast_ns)),
         FormatBytes(p.fast_peak_bytes), FormatDurationNs(p.stall_ns)});
  }
  return absl::StrCat(table.ToText(), errors);
}

}  // namespace

absl::StatusOr<TrainingSummary> SummarizeTraining(const TrainingJob& job,
                                                  const TrainingResult& result,
                                                  double seconds) {
  const absl::StatusOr<int64_t> all_fast_ns =
      AllFastStepNs(job.graph, job.system);
  if (!all_fast_ns.ok()) return all_fast_ns.status();
  TrainingSummary summary = {
      .graph = job.graph.name,
      .policy = result.policy,
      .seconds = seconds,
      .verdict = result.verdict,
      .episodes = result.episodes,
      .all_fast_ns = *all_fast_ns,
      .durations = std::string(policies::DurationOrigin(job.graph)),
      .processor = job.system.processor};
  const policies::PlanOptions options = {
      .fast_limit_bytes = job.fast_limit_bytes, .seed = job.seed};
  absl::StatusOr<Evaluation> trained =
      MakeEvaluation(job.graph, job.system,
                     *policies::MakeDeepTmPolicy(result.policy), options);
  if (!trained.ok()) return trained.status();
  summary.rows.push_back(
      {std::string(policies::kDeepTmPolicyName), std::move(trained)});
  for (const char* policy : kCompared) {
    summary.rows.push_back(
        {policy,
         MakeEvaluation(job.graph, job.system, std::string(policy), options)});
  }
  return summary;
}

json SummaryToJson(const TrainingSummary& summary) {
  const policies::DqnPolicy& policy = summary.policy;
  json plans = json::array();
  for (const SummaryRow& row : summary.rows) {
    plans.push_back(RowToJson(row, summary.all_fast_ns));
  }
  return {{"graph", summary.graph},
          {"graph_id", policy.graph_id},
          {"system", policy.system},
          {"fast_limit_bytes", policy.fast_limit_bytes},
          {"cost_priority", policy.settings.cost_priority},
          {"seed", policy.seed},
          {"fits", policy.fits},
          {"episodes_done", policy.episodes_done},
          {"training_seconds", summary.seconds},
          {"durations", summary.durations},
          {"verdict", summary.verdict},
          {"plans", std::move(plans)},
          {"episodes", EpisodesToJson(summary.episodes)}};
}

std::string SummaryToText(const TrainingSummary& summary) {
  const policies::DqnPolicy& policy = summary.policy;
  const std::string head =
      policy.fits
          ? absl::StrCat("trained      nothing: ", summary.graph,
                         " fits the fast limit\n")
          : absl::StrCat("trained      ", summary.graph, " on ", policy.system,
                         ", ", policy.episodes_done, " of ",
                         policy.settings.episodes, " episodes in ",
                         absl::StrFormat("%.1f s\n", summary.seconds));
  return absl::StrCat(
      head, "fast limit   ", FormatBytes(policy.fast_limit_bytes), "\n",
      absl::StrFormat("beta         %g\n", policy.settings.cost_priority),
      "durations    ", DurationsToText(summary),
      summary.verdict.empty()
          ? ""
          : absl::StrCat("service      ", summary.verdict, "\n"),
      "\n", PlansToText(summary));
}

json TrainingPictureToJson(const TrainingSummary& summary) {
  json lines = json::array();
  for (const SummaryRow& row : summary.rows) {
    if (!row.evaluation.ok()) continue;
    lines.push_back(
        {{"policy", row.policy},
         {"step_time_ns", row.evaluation->plan.prediction.step_time_ns}});
  }
  return {{"title",
           absl::StrCat(summary.graph, " on ", summary.policy.system,
                        ", fast memory limited to ",
                        FormatBytes(summary.policy.fast_limit_bytes),
                        absl::StrFormat(", beta %g, seed %d",
                                        summary.policy.settings.cost_priority,
                                        summary.policy.seed))},
          {"episodes", EpisodesToJson(summary.episodes)},
          {"plans", std::move(lines)}};
}

}  // namespace stowage::cli
