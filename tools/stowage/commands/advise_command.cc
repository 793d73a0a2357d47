#include "tools/stowage/commands/advise_command.h"

#include <iostream>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "policies/registry.h"
#include "tools/stowage/advise/advice.h"
#include "tools/stowage/advise/advice_output.h"
#include "tools/stowage/advise/captured_step.h"
#include "tools/stowage/import/graph_file.h"
#include "tools/stowage/inputs/system_file.h"
#include "tools/stowage/options/input_options.h"
#include "tools/stowage/options/option_checks.h"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/output/output_file.h"
#include "tools/stowage/plot/python_plot.h"
#include "tools/stowage/process/installation.h"
#include "tools/stowage/run/run_request.h"

namespace stowage::cli {
namespace {

struct AdviseArguments {
  std::string graph_path;
  GraphFileOptions file;
  std::string system;
  RunRequest run = {.fast = "40%", .prints_to_stderr = true};
  AdviceSettings settings = {.policy = std::string(policies::kDefaultPolicy)};
  double time_s = 5;
  std::string plot_path;
  bool json = false;
};

struct AdviceSubject {
  policies::Graph graph;
  policies::MemorySystem system;
};

// Checks what a user can get wrong whatever the files hold.
absl::Status CheckArguments(const AdviseArguments& arguments) {
  const bool has_graph = !arguments.graph_path.empty();
  if (has_graph == !arguments.run.command.empty()) {
    return absl::InvalidArgumentError(
        "give a graph, or a command after '--', and not both");
  }
  if (has_graph && arguments.system.empty()) {
    return absl::InvalidArgumentError(
        "--system is missing: a preset or a file of 'stowage calibrate'");
  }
  absl::Status status = absl::OkStatus();
  if (!has_graph) status = CheckRunRequest(arguments.run);
  if (status.ok() && !arguments.plot_path.empty()) {
    status = CheckPlotPath(arguments.plot_path);
  }
  return status;
}

absl::StatusOr<AdviceSubject> CaptureSubject(const AdviseArguments& arguments) {
  const absl::StatusOr<Installation> installation = FindInstallation();
  if (!installation.ok()) return installation.status();
  absl::Status installed = CheckInstalled(installation->preload_path);
  if (installed.ok()) installed = CheckInstalled(installation->plugin_path);
  if (!installed.ok()) return installed;
  absl::StatusOr<CapturedStep> step = CaptureStep(arguments.run, *installation);
  if (!step.ok()) return step.status();
  std::cerr << "stowage: a step was captured, and the command has ended\n";
  if (!arguments.system.empty()) {
    absl::StatusOr<policies::MemorySystem> system =
        LoadSystem(arguments.system);
    if (!system.ok()) return system.status();
    return AdviceSubject{std::move(step->graph), *std::move(system)};
  }
  if (step->system.has_value()) {
    return AdviceSubject{std::move(step->graph), *std::move(step->system)};
  }
  return absl::FailedPreconditionError(
      "no plan was made under this limit, so that the memory is not measured; "
      "name it with --system, or give a larger --fast");
}

absl::StatusOr<AdviceSubject> LoadSubject(const AdviseArguments& arguments) {
  if (arguments.graph_path.empty()) return CaptureSubject(arguments);
  absl::StatusOr<policies::MemorySystem> system = LoadSystem(arguments.system);
  if (!system.ok()) return system.status();
  absl::StatusOr<LoadedGraph> loaded =
      LoadGraph(arguments.graph_path, arguments.file);
  if (!loaded.ok()) return loaded.status();
  return AdviceSubject{std::move(loaded->graph), *std::move(system)};
}

absl::Status Draw(const Advice& advice, const std::string& path) {
  if (path.empty()) return absl::OkStatus();
  const absl::StatusOr<Installation> installation = FindInstallation();
  if (!installation.ok()) return installation.status();
  return DrawAdvice(advice, *installation, path);
}

int Advise(const AdviseArguments& arguments) {
  const absl::Status requested = CheckArguments(arguments);
  if (!requested.ok()) return ReportUsageError(requested);
  AdviceSettings settings = arguments.settings;
  settings.time = absl::Seconds(arguments.time_s);
  const absl::Status writable = CheckAllWritable({arguments.plot_path});
  if (!writable.ok()) return ReportError(writable);
  const absl::StatusOr<AdviceSubject> subject = LoadSubject(arguments);
  if (!subject.ok()) return ReportError(subject.status());
  const absl::StatusOr<Advice> advice =
      MakeAdvice(subject->graph, subject->system, settings);
  if (!advice.ok()) return ReportError(advice.status());
  std::cout << (arguments.json ? AdviceToJson(*advice).dump(2) + "\n"
                               : AdviceToText(*advice));
  return ReportError(Draw(*advice, arguments.plot_path));
}

}  // namespace

void AddAdviseCommand(Options& root,
                      const std::vector<std::string>& job_command,
                      CommandList& commands) {
  auto arguments = std::make_shared<AdviseArguments>();
  Options app = root.AddSubcommand(
      "advise", "Say how much fast memory a job needs for how much speed");
  app.SetFooter(
      "Instead of a graph, a training command may follow '--': it runs until a "
      "step has been captured, and is ended then");
  app.Add("graph", arguments->graph_path,
          "Graph, profiled graph or PyTorch execution trace");
  AddFileOptions(app, arguments->file);
  app.Add("--system", arguments->system,
          "Memory system: a preset or a file; with a command, the one that is "
          "measured by default");
  app.Add("--fast", arguments->run.fast,
          "Limit of the command while its step is captured")
      .ShowDefault();
  app.Add("--slow", arguments->run.slow, "Slow tier of the command");
  app.Add("--policy", arguments->settings.policy, "Policy that makes the plans")
      .ShowDefault();
  app.Add("--points", arguments->settings.points,
          "Limits to look at first, from the least to the peak")
      .Check(WholeNumberIn(2, 64))
      .ShowDefault();
  app.Add("--time", arguments->time_s,
          "Seconds that all plans together may take, about")
      .Check(SecondsUpTo(86400))
      .ShowDefault();
  app.Add("--plot", arguments->plot_path,
          "Draw step times over fast memory (.svg, .png)");
  app.AddFormat(arguments->json);
  commands.push_back({app, [arguments, &job_command] {
                        arguments->run.command = job_command;
                        return Advise(*arguments);
                      }});
}

}  // namespace stowage::cli
