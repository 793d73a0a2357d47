#include "tools/stowage/commands/run_command.h"

#include <iostream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "policies/bound/lower_bound.h"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/output/output_file.h"
#include "tools/stowage/plot/step_plot.h"
#include "tools/stowage/process/installation.h"
#include "tools/stowage/process/temp_directory.h"
#include "tools/stowage/report/report.h"
#include "tools/stowage/report/report_text.h"
#include "tools/stowage/report/session_file.h"
#include "tools/stowage/run/job_run.h"

namespace stowage::cli {
namespace {

// Checks everything that must be right before the command starts.
absl::Status CheckBeforeRun(const RunRequest& request,
                            const Installation& installation) {
  absl::Status checked = absl::OkStatus();
  for (const std::string& path : {request.report_path, request.plot_path}) {
    if (checked.ok() && !path.empty()) checked = CheckWritable(path);
  }
  if (checked.ok()) checked = CheckInstalled(installation.preload_path);
  if (checked.ok()) checked = CheckInstalled(installation.plugin_path);
  const std::string& log = request.step_log_path;
  if (checked.ok() && !log.empty() && log != "-") checked = MakeEmptyFile(log);
  return checked;
}

RunReport ReportOf(const JobRun& run, const RunRequest& request) {
  RunReport report = MakeRunReport(
      run.sessions.jobs, absl::StrJoin(request.command, " "), run.exit_status);
  report.requested_policy = request.policy;
  report.jobs_are_elsewhere =
      !request.agent_socket.empty() && request.agent_report_dir.empty();
  if (request.lower_bound && run.planned.ok()) {
    report.lower_bound_ns =
        policies::LowerBoundNs(run.planned->graph, run.planned->system,
                               run.planned->plan.fast_limit_bytes);
  }
  return report;
}

// Says why the report lacks the bound that was asked for.
absl::Status CheckBound(const JobRun& run, const RunRequest& request) {
  if (!request.lower_bound || run.planned.ok()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("no lower bound: ", run.planned.status().message()));
}

absl::Status PublishReport(const RunReport& report, const RunRequest& request) {
  const nlohmann::json json = ReportToJson(report);
  const auto replace = nlohmann::json::error_handler_t::replace;
  std::cerr << (request.json ? json.dump(-1, ' ', false, replace) + "\n"
                             : ReportToText(report));
  if (request.report_path.empty()) return absl::OkStatus();
  return WriteFileAtomically(request.report_path,
                             json.dump(2, ' ', false, replace) + "\n");
}

absl::Status DrawPicture(const JobRun& run, const RunReport& report,
                         const RunRequest& request,
                         const Installation& installation) {
  if (request.plot_path.empty()) return absl::OkStatus();
  if (!run.planned.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat("no picture: ", run.planned.status().message()));
  }
  return DrawStep({.graph = run.planned->graph,
                   .plan = run.planned->plan,
                   .simulation = run.planned->simulation,
                   .measured = report.jobs.empty() ? std::vector<Step>{}
                                                   : report.jobs.front().steps},
                  installation, request.plot_path);
}

}  // namespace

int Run(const RunRequest& request) {
  absl::Status requested = CheckRunRequest(request);
  if (!requested.ok()) return ReportUsageError(requested);
  absl::StatusOr<Installation> installation = FindInstallation();
  if (!installation.ok()) return ReportError(installation.status());
  absl::Status checked = CheckBeforeRun(request, *installation);
  if (!checked.ok()) return ReportError(checked);
  absl::StatusOr<TempDirectory> directory = TempDirectory::Make();
  if (!directory.ok()) return ReportError(directory.status());

  absl::StatusOr<JobRun> run =
      RunJob(request, *installation, directory->path());
  if (!run.ok()) return ReportError(run.status());
  if (!run->started) return run->exit_status;
  for (const absl::Status& bad : run->sessions.damaged) ReportError(bad);
  const RunReport report = ReportOf(*run, request);
  ReportError(CheckBound(*run, request));
  ReportError(PublishReport(report, request));
  ReportError(DrawPicture(*run, report, request, *installation));
  return run->exit_status;
}

void AddRunCommand(Options& root, const std::vector<std::string>& job_command,
                   CommandList& commands) {
  auto request = std::make_shared<RunRequest>();
  Options app = root.AddSubcommand(
      "run", "Run a training command under a limit on fast memory");
  app.SetFooter("The command follows '--': stowage run --fast 40% -- CMD ...");
  app.Add(
         "--fast", request->fast,
         "Limit on tensor bytes in fast memory: a size (900MiB), a "
         "share of the job's tensor peak (40% or 0.4), a size for all ranks on "
         "this host together (8GiB/host), unlimited, or auto: the least under "
         "which steps are predicted to be hardly slower than alone")
      .Check({.problem = [](const std::string& limit) {
        return limit.empty() ? "is empty; give a limit, as in --fast 40%" : "";
      }});
  app.Add("--slowdown", request->slowdown,
          "How much slower steps may be under --fast auto; 5% by default");
  app.Add("--floor", request->floor,
          "Fast memory that the job is sure of where an agent shares it among "
          "jobs: 200MiB; half of the limit by default");
  app.Add("--slow", request->slow,
          "Slow tier: file:DIR, pmem:DIR, numa:N, emulated:NAME");
  app.Add("--checksums", request->checksums,
          "Check that what comes back from a file is what was written there");
  app.Add("--system", request->system_path,
          "File of a memory system that stowage calibrate wrote; the private "
          "agent measures by default");
  app.Add("--policy", request->policy, "Policy that makes the plan");
  app.Add("--hints", request->hints,
          "Ask the trained network of --policy deeptm when a step leaves its "
          "plan");
  app.Add("--agent", request->agent_socket,
          "Socket of a running agent; a private one by default")
      .FromEnvironment("STOWAGE_AGENT");
  app.Add("--agent-report-dir", request->agent_report_dir,
          "Where the agent named by --agent leaves its reports")
      .FromEnvironment("STOWAGE_REPORT_DIR");
  app.Add("--service", request->service_address,
          "Address of a running service; a private one by default")
      .FromEnvironment("STOWAGE_SERVICE");
  app.Add("--allow-plaintext", request->allow_plaintext,
          "Talk in plain text to a service on another host");
  app.Add("--report", request->report_path,
          "Write a report of the run (JSON) to this file");
  app.Add("--step-log", request->step_log_path,
          "Write a line of JSON for each step to this file while the command "
          "runs; '-' is the command's standard output");
  app.Add("--plot", request->plot_path,
          "Draw the planned step and the measured ones (.svg, .png)");
  app.Add("--lower-bound", request->lower_bound,
          "Compute a step time that no plan can beat, for the report; takes "
          "seconds after the run");
  app.AddFormat(request->json);
  commands.push_back({app, [request, &job_command] {
                        request->command = job_command;
                        return Run(*request);
                      }});
}

}  // namespace stowage::cli
