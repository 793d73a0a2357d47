#include "tools/stowage/commands/train_command.h"

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "policies/scaling/rehosting.h"
#include "server/training/training_job.h"
#include "tools/stowage/import/graph_file.h"
#include "tools/stowage/inputs/dqn_file.h"
#include "tools/stowage/inputs/fast_limit.h"
#include "tools/stowage/inputs/system_file.h"
#include "tools/stowage/options/input_options.h"
#include "tools/stowage/options/option_checks.h"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/output/output_file.h"
#include "tools/stowage/plot/python_plot.h"
#include "tools/stowage/process/installation.h"
#include "tools/stowage/train/training_progress.h"
#include "tools/stowage/train/training_run.h"
#include "tools/stowage/train/training_summary.h"

namespace stowage::cli {
namespace {

struct TrainArguments {
  std::string graph_path;
  GraphFileOptions file;
  std::string system;
  FastLimit limit;
  bool keep_durations = false;
  int64_t seed = 0;
  std::optional<double> cost_priority;
  std::optional<int> episodes;
  std::optional<double> fast_price;
  std::optional<double> slow_price;
  bool synchronous = false;
  std::string resume_path;
  std::string service;
  std::string output;
  std::string plot_path;
  bool json = false;
};

v1::TrainingOptions OptionsOf(const TrainArguments& arguments) {
  v1::TrainingOptions options;
  if (arguments.cost_priority) {
    options.set_cost_priority(*arguments.cost_priority);
  }
  if (arguments.episodes) options.set_episodes(*arguments.episodes);
  if (arguments.fast_price) {
    options.set_fast_price_usd_per_gb(*arguments.fast_price);
  }
  if (arguments.slow_price) {
    options.set_slow_price_usd_per_gb(*arguments.slow_price);
  }
  if (arguments.synchronous) options.set_synchronous(true);
  return options;
}

// Checks what a user can get wrong whatever the files hold.
absl::Status CheckArguments(const TrainArguments& arguments) {
  absl::Status status = policies::CheckDqnSettings(
      SettingsOf(OptionsOf(arguments), /*start=*/nullptr));
  if (status.ok() && !arguments.plot_path.empty()) {
    status = CheckPlotPath(arguments.plot_path);
  }
  return status;
}

absl::Status CheckOutputs(const TrainArguments& arguments) {
  absl::Status status = CheckWritable(arguments.output);
  if (!arguments.plot_path.empty()) {
    status.Update(CheckWritable(arguments.plot_path));
  }
  return status;
}

absl::StatusOr<TrainingJob> LoadJob(const TrainArguments& arguments) {
  absl::StatusOr<policies::MemorySystem> system = LoadSystem(arguments.system);
  if (!system.ok()) return system.status();
  absl::StatusOr<LoadedGraph> loaded =
      LoadGraph(arguments.graph_path, arguments.file);
  if (!loaded.ok()) return loaded.status();
  policies::Graph graph = std::move(loaded->graph);
  if (!arguments.keep_durations && policies::NeedsRehosting(graph, *system)) {
    graph = policies::Rehost(std::move(graph), *system);
  }
  const absl::StatusOr<int64_t> limit_bytes =
      ResolveLimit(arguments.limit, graph);
  if (!limit_bytes.ok()) return limit_bytes.status();
  TrainingJob job = {.graph = std::move(graph),
                     .system = *std::move(system),
                     .fast_limit_bytes = *limit_bytes,
                     .options = OptionsOf(arguments),
                     .seed = arguments.seed,
                     .start = std::nullopt};
  if (!arguments.resume_path.empty()) {
    absl::StatusOr<policies::DqnPolicy> start =
        LoadDqnPolicy(arguments.resume_path);
    if (!start.ok()) return start.status();
    job.start = *std::move(start);
  }
  if (absl::Status valid = CheckTrainingJob(job); !valid.ok()) return valid;
  return job;
}

absl::StatusOr<TrainingResult> Train(const TrainArguments& arguments,
                                     const TrainingJob& job,
                                     const Installation& installation) {
  TrainingProgress progress;
  const auto show = [&](const v1::Episode& episode) { progress.Show(episode); };
  if (!arguments.service.empty()) return TrainAt(arguments.service, job, show);
  if (absl::Status installed = CheckInstalled(installation.trainer_path);
      !installed.ok()) {
    return installed;
  }
  return TrainHere(job, installation.trainer_path, show);
}

absl::Status WriteResults(const TrainArguments& arguments,
                          const TrainingSummary& summary,
                          const Installation& installation) {
  absl::Status written = WriteFileAtomically(
      arguments.output, policies::EncodeDqnPolicy(summary.policy));
  if (!written.ok() || arguments.plot_path.empty()) return written;
  if (summary.episodes.empty()) {
    std::cerr << "stowage: no episode to draw; " << arguments.plot_path
              << " is not written\n";
    return absl::OkStatus();
  }
  return DrawWithPython(installation.training_plotter_path,
                        TrainingPictureToJson(summary), arguments.plot_path);
}

int TrainPolicy(const TrainArguments& arguments) {
  const absl::Status requested = CheckArguments(arguments);
  if (!requested.ok()) return ReportUsageError(requested);
  const absl::Status writable = CheckOutputs(arguments);
  if (!writable.ok()) return ReportError(writable);
  const absl::StatusOr<TrainingJob> job = LoadJob(arguments);
  if (!job.ok()) return ReportError(job.status());
  const absl::StatusOr<Installation> installation = FindInstallation();
  if (!installation.ok()) return ReportError(installation.status());
  const absl::Time begin = absl::Now();
  const absl::StatusOr<TrainingResult> result =
      Train(arguments, *job, *installation);
  if (!result.ok()) return ReportError(result.status());
  const absl::StatusOr<TrainingSummary> summary = SummarizeTraining(
      *job, *result, absl::ToDoubleSeconds(absl::Now() - begin));
  if (!summary.ok()) return ReportError(summary.status());
  const absl::Status written = WriteResults(arguments, *summary, *installation);
  if (!written.ok()) return ReportError(written);
  std::cout << (arguments.json ? SummaryToJson(*summary).dump(2) + "\n"
                               : SummaryToText(*summary));
  const policies::DqnPolicy& policy = result->policy;
  if (!policy.fits && policy.episodes_done < policy.settings.episodes) {
    return ReportError(absl::CancelledError(
        absl::StrCat("interrupted after episode ", policy.episodes_done,
                     "; go on with --"
                     "resume ",
                     arguments.output)));
  }
  return kExitOk;
}

void AddInputOptions(Options& app, TrainArguments& arguments) {
  AddPlanningInputs(app, arguments.graph_path, arguments.file,
                    arguments.system);
  AddLimitOptions(app, arguments.limit);
  app.Add("--keep-durations", arguments.keep_durations,
          "Use durations as they were measured, even if the system has another "
          "processor");
}

void AddLearningOptions(Options& app, TrainArguments& arguments) {
  app.Add("--seed", arguments.seed, "Seed of random choices")
      .Check(WholeNumberFrom(0));
  app.Add("--beta", arguments.cost_priority,
          "Cost priority: 0 (only the price of memory counts) to 1 "
          "(only time counts); default 0.75");
  app.Add("--episodes", arguments.episodes,
          "Episodes of the training; default 200");
  app.Add("--fast-price", arguments.fast_price,
          "US dollars per GB of fast memory; default: the system's");
  app.Add("--slow-price", arguments.slow_price,
          "US dollars per GB of slow memory; default: the system's");
  app.Add("--synchronous", arguments.synchronous,
          "Make kernels wait for migrations");
  app.Add("--resume", arguments.resume_path,
          "Go on from this policy's weights");
  app.Add("--service", arguments.service,
          "Train at this service, where the policy is kept and promoted "
          "if it is better than the one that serves");
}

}  // namespace

void AddTrainCommand(Options& root, CommandList& commands) {
  auto arguments = std::make_shared<TrainArguments>();
  Options app =
      root.AddSubcommand("train", "Train a DQN policy (DeepTM) for a graph");
  AddInputOptions(app, *arguments);
  AddLearningOptions(app, *arguments);
  app.Add("-o,--output", arguments->output, "Write the policy here").Required();
  app.Add("--plot", arguments->plot_path,
          "Draw reward, loss and step time (.svg, .png)");
  app.AddFormat(arguments->json);
  commands.push_back({app, [arguments] { return TrainPolicy(*arguments); }});
}

}  // namespace stowage::cli
