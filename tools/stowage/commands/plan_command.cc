#include "tools/stowage/commands/plan_command.h"

#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policies/model/codec.h"
#include "policies/plan/plan_proto.h"
#include "policies/registry.h"
#include "policies/verify/verifier.h"
#include "tools/stowage/compare/evaluation.h"
#include "tools/stowage/import/graph_file.h"
#include "tools/stowage/inputs/fast_limit.h"
#include "tools/stowage/inputs/plan_file.h"
#include "tools/stowage/inputs/policy_spec.h"
#include "tools/stowage/inputs/system_file.h"
#include "tools/stowage/options/input_options.h"
#include "tools/stowage/options/option_checks.h"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/output/output_file.h"
#include "tools/stowage/output/units.h"
#include "tools/stowage/plot/python_plot.h"
#include "tools/stowage/plot/step_plot.h"
#include "tools/stowage/process/installation.h"

namespace stowage::cli {
namespace {

struct PlanArguments {
  std::string graph_path;
  std::string plan_path;
  GraphFileOptions file;
  std::string system;
  FastLimit limit;
  std::string policy = std::string(policies::kDefaultPolicy);
  std::string dqn_path;
  int64_t seed = 0;
  double time_limit_s = 0;
  std::string output;
  std::string plot_path;
  bool json = false;
};

struct PlanInputs {
  policies::Graph graph;
  policies::MemorySystem system;
};

absl::StatusOr<PlanInputs> LoadInputs(const PlanArguments& arguments) {
  absl::StatusOr<policies::MemorySystem> system = LoadSystem(arguments.system);
  if (!system.ok()) return system.status();
  absl::StatusOr<LoadedGraph> loaded =
      LoadGraph(arguments.graph_path, arguments.file);
  if (!loaded.ok()) return loaded.status();
  return PlanInputs{std::move(loaded->graph), *std::move(system)};
}

std::string PlanText(const Evaluation& evaluation, int64_t all_fast_ns) {
  const policies::Plan& plan = evaluation.plan;
  const policies::Prediction& prediction = plan.prediction;
  std::string notes;
  for (const std::string& note : plan.notes) {
    absl::StrAppend(&notes, "note         ", note, "\n");
  }
  return absl::StrCat(
      "policy       ", plan.policy, " on ", plan.system, ", verified\n",
      "fast limit   ", FormatBytes(plan.fast_limit_bytes), "\n",
      "fast peak    ", FormatBytes(prediction.fast_peak_bytes), "\n",
      "step         ", FormatDurationNs(prediction.step_time_ns), ", all fast ",
      FormatDurationNs(all_fast_ns), "\n", "stall        ",
      FormatDurationNs(prediction.stall_ns), "\n", "moves        ",
      plan.moves.size(), ", ", FormatBytes(prediction.moved_in_bytes), " in, ",
      FormatBytes(prediction.moved_out_bytes), " out\n",
      absl::StrFormat("locality     %.1f %%\n", 100 * prediction.locality),
      absl::StrFormat("planned in   %.2f s\n",
                      absl::ToDoubleSeconds(evaluation.planning_time)),
      notes);
}

absl::Status WriteResults(const PlanArguments& arguments,
                          const policies::Graph& graph,
                          const Evaluation& evaluation) {
  if (!arguments.output.empty()) {
    absl::Status written = WriteFileAtomically(
        arguments.output,
        policies::Serialize(policies::PlanToProto(evaluation.plan),
                            policies::EncodingForPath(arguments.output)));
    if (!written.ok()) return written;
  }
  if (arguments.plot_path.empty()) return absl::OkStatus();
  const absl::StatusOr<Installation> installation = FindInstallation();
  if (!installation.ok()) return installation.status();
  return DrawStep({.graph = graph,
                   .plan = evaluation.plan,
                   .simulation = evaluation.simulation},
                  *installation, arguments.plot_path);
}

// Checks what a user can get wrong whatever the files hold.
absl::Status CheckRequest(const PlanArguments& arguments) {
  absl::Status dqn = CheckDqnUse({arguments.policy}, arguments.dqn_path);
  if (!dqn.ok() || arguments.plot_path.empty()) return dqn;
  return CheckPlotPath(arguments.plot_path);
}

int MakePlanFile(const PlanArguments& arguments) {
  const absl::Status requested = CheckRequest(arguments);
  if (!requested.ok()) return ReportUsageError(requested);
  const std::string spec = WithDqnFile(arguments.policy, arguments.dqn_path);
  const absl::Status readable = CheckPolicyFile(spec);
  if (!readable.ok()) return ReportError(readable);
  const absl::StatusOr<std::unique_ptr<policies::Policy>> policy =
      MakePolicyFromSpec(spec);
  if (!policy.ok()) return ReportUsageError(policy.status());
  const absl::Status writable =
      CheckAllWritable({arguments.output, arguments.plot_path});
  if (!writable.ok()) return ReportError(writable);
  const absl::StatusOr<PlanInputs> inputs = LoadInputs(arguments);
  if (!inputs.ok()) return ReportError(inputs.status());
  const absl::StatusOr<int64_t> limit_bytes =
      ResolveLimit(arguments.limit, inputs->graph);
  if (!limit_bytes.ok()) return ReportUsageError(limit_bytes.status());
  const absl::StatusOr<Evaluation> evaluation =
      MakeEvaluation(inputs->graph, inputs->system, **policy,
                     {.fast_limit_bytes = *limit_bytes,
                      .seed = arguments.seed,
                      .time_limit = absl::Seconds(arguments.time_limit_s)});
  if (!evaluation.ok()) return ReportError(evaluation.status());
  const absl::StatusOr<int64_t> all_fast_ns =
      AllFastStepNs(inputs->graph, inputs->system);
  if (!all_fast_ns.ok()) return ReportError(all_fast_ns.status());
  const absl::Status written =
      WriteResults(arguments, inputs->graph, *evaluation);
  if (!written.ok()) return ReportError(written);
  std::cout << (arguments.json
                    ? EvaluationToJson(*evaluation, *all_fast_ns).dump(2) + "\n"
                    : PlanText(*evaluation, *all_fast_ns));
  return kExitOk;
}

int Verify(const PlanArguments& arguments) {
  const absl::StatusOr<PlanInputs> inputs = LoadInputs(arguments);
  if (!inputs.ok()) return ReportError(inputs.status());
  const absl::StatusOr<policies::Plan> plan = LoadPlan(arguments.plan_path);
  if (!plan.ok()) return ReportError(plan.status());
  const absl::Status verdict =
      policies::VerifyPlan(inputs->graph, inputs->system, *plan);
  if (arguments.json) {
    const nlohmann::json json = {{"valid", verdict.ok()},
                                 {"violation", std::string(verdict.message())}};
    std::cout << json.dump(2) << "\n";
    return ExitCodeFor(verdict);
  }
  if (verdict.ok()) std::cout << arguments.plan_path << ": verified\n";
  return ReportError(verdict);
}

void AddInputs(Options& app, PlanArguments& arguments) {
  AddPlanningInputs(app, arguments.graph_path, arguments.file,
                    arguments.system);
  app.AddFormat(arguments.json);
}

}  // namespace

void AddPlanCommand(Options& root, CommandList& commands) {
  auto arguments = std::make_shared<PlanArguments>();
  Options app = root.AddSubcommand(
      "plan", "Make, verify and simulate a plan for a graph");
  AddInputs(app, *arguments);
  AddLimitOptions(app, arguments->limit);
  app.Add("--policy", arguments->policy, "Policy").ShowDefault();
  app.Add("--dqn", arguments->dqn_path,
          "Trained DQN policy, for the policy deeptm");
  app.Add("--seed", arguments->seed, "Seed of random choices")
      .Check(WholeNumberFrom(0))
      .ShowDefault();
  app.Add("--time-limit", arguments->time_limit_s,
          "Seconds a planner may think; 0: its own default")
      .Check(SecondsUpTo(86400))
      .ShowDefault();
  app.Add("-o,--output", arguments->output,
          "Write the plan here: .pb or .json, with .gz gzipped")
      .Check(NotEmpty());
  app.Add("--plot", arguments->plot_path, "Draw the planned step (.svg, .png)");
  commands.push_back({app, [arguments] { return MakePlanFile(*arguments); }});
}

void AddVerifyCommand(Options& root, CommandList& commands) {
  auto arguments = std::make_shared<PlanArguments>();
  Options app = root.AddSubcommand(
      "verify", "Prove that a plan can be executed, or say why not");
  AddInputs(app, *arguments);
  app.Add("plan", arguments->plan_path, "Plan").Required();
  commands.push_back({app, [arguments] { return Verify(*arguments); }});
}

}  // namespace stowage::cli
