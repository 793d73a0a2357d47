#include "tools/stowage/commands/explain_command.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "tools/stowage/inputs/input_file.h"
#include "tools/stowage/options/option_checks.h"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/output/output_file.h"
#include "tools/stowage/plot/python_plot.h"
#include "tools/stowage/process/installation.h"
#include "tools/stowage/report/explanation.h"

namespace stowage::cli {
namespace {

struct ExplainArguments {
  std::string report_path;
  std::string plot_path;
  bool json = false;
};

nlohmann::json AllToJson(const std::vector<Explanation>& explanations) {
  nlohmann::json all = nlohmann::json::array();
  for (const Explanation& explanation : explanations) {
    all.push_back(ExplanationToJson(explanation));
  }
  return all;
}

void Print(const std::vector<Explanation>& explanations,
           const std::vector<KernelTimes>& kernels) {
  for (const Explanation& explanation : explanations) {
    std::cout << ExplanationToText(explanation) << "\n";
  }
  std::cout << LateKernelsToText(kernels);
}

absl::Status Draw(const std::vector<Step>& steps, const std::string& title,
                  const std::string& path) {
  const absl::StatusOr<Installation> installation = FindInstallation();
  if (!installation.ok()) return installation.status();
  nlohmann::json each = nlohmann::json::array();
  for (const Step& step : steps) {
    const std::vector<Explanation> alone = Explain({step});
    each.push_back(ExplanationToJson(alone.front()));
  }
  return DrawWithPython(installation->explanation_plotter_path,
                        {{"title", title}, {"steps", each}}, path);
}

absl::StatusOr<JobReport> Read(const ExplainArguments& arguments) {
  if (!arguments.plot_path.empty()) {
    absl::Status status = CheckPlotPath(arguments.plot_path);
    if (status.ok()) status = CheckAllWritable({arguments.plot_path});
    if (!status.ok()) return status;
  }
  const absl::StatusOr<std::string> report = ReadFile(arguments.report_path);
  if (!report.ok()) return report.status();
  return ReadReport(*report);
}

int ExplainReport(const ExplainArguments& arguments) {
  const absl::StatusOr<JobReport> job = Read(arguments);
  if (!job.ok()) return ReportError(job.status());
  const std::vector<Explanation> explanations = Explain(job->steps);
  if (arguments.json) {
    std::cout << AllToJson(explanations).dump(2) << "\n";
  } else {
    Print(explanations, job->kernels);
  }
  if (arguments.plot_path.empty()) return kExitOk;
  const absl::Status drawn =
      Draw(job->steps, arguments.report_path, arguments.plot_path);
  return drawn.ok() ? kExitOk : ReportError(drawn);
}

}  // namespace

void AddExplainCommand(Options& root, CommandList& commands) {
  auto arguments = std::make_shared<ExplainArguments>();
  Options app =
      root.AddSubcommand("explain", "Say where the time of a run's steps went");
  app.Add("report", arguments->report_path,
          "Report that `stowage run --report` wrote")
      .Required();
  app.Add("--plot", arguments->plot_path,
          "Draw the parts of every step (.svg, .png)");
  app.AddFormat(arguments->json);
  commands.push_back({app, [arguments] { return ExplainReport(*arguments); }});
}

}  // namespace stowage::cli
