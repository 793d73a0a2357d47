#include "tools/stowage/run_command.h"

#include <unistd.h>

#include <iostream>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "tools/stowage/child_process.h"
#include "tools/stowage/exit_code.h"
#include "tools/stowage/foreground.h"
#include "tools/stowage/installation.h"
#include "tools/stowage/job_environment.h"
#include "tools/stowage/output_file.h"
#include "tools/stowage/private_services.h"
#include "tools/stowage/report.h"
#include "tools/stowage/report_text.h"
#include "tools/stowage/session_file.h"
#include "tools/stowage/temp_directory.h"

namespace stowage::cli {
namespace {

constexpr int kCommandNotExecutable = 126;
constexpr int kCommandNotFound = 127;

// All that must be right before the command is started.
absl::Status CheckBeforeRun(const RunRequest& request,
                            const Installation& installation) {
  absl::Status checked = absl::OkStatus();
  if (!request.report_path.empty()) {
    checked = CheckWritable(request.report_path);
  }
  if (checked.ok()) checked = CheckInstalled(installation.preload_path);
  if (checked.ok()) checked = CheckInstalled(installation.plugin_path);
  return checked;
}

std::string NewRunId() {
  return absl::StrCat("run-", absl::ToUnixMicros(absl::Now()), "-", getpid());
}

// How the command ended.
struct RunEnd {
  int exit_status = 0;
  bool started = false;
  Sessions sessions;
};

// A command that cannot be run ends as it would in a shell.
RunEnd RunInForeground(const RunRequest& request,
                       std::vector<std::string> environment) {
  absl::StatusOr<ChildProcess> command = ChildProcess::Start(
      {.argv = request.command, .environment = std::move(environment)});
  if (command.ok()) {
    return {.exit_status = WaitInForeground(*command), .started = true};
  }
  ReportError(command.status());
  return {.exit_status = absl::IsNotFound(command.status())
                             ? kCommandNotFound
                             : kCommandNotExecutable};
}

// Runs the command with the agent that the request names, or one of its own.
absl::StatusOr<RunEnd> RunJob(const RunRequest& request,
                              const Installation& installation,
                              const std::string& directory) {
  JobWiring wiring{.run_id = NewRunId(),
                   .agent_socket = request.agent_socket,
                   .report_dir = request.agent_report_dir.empty()
                                     ? directory
                                     : request.agent_report_dir};
  std::optional<PrivateServices> services;
  if (request.agent_socket.empty()) {
    absl::StatusOr<PrivateServices> started =
        PrivateServices::Start(installation, request, directory);
    if (!started.ok()) return started.status();
    services = *std::move(started);
    wiring.agent_socket = services->agent_socket();
    wiring.report_dir = services->report_dir();
  }
  RunEnd end = RunInForeground(
      request,
      JobEnvironment(CurrentEnvironment(), installation, request, wiring));
  if (services) services->Stop();
  end.sessions = ReadSessions(wiring.report_dir, wiring.run_id);
  return end;
}

absl::Status PublishReport(const RunEnd& end, const RunRequest& request) {
  for (const absl::Status& damaged : end.sessions.damaged) ReportError(damaged);
  const RunReport report = MakeRunReport(
      end.sessions.jobs, absl::StrJoin(request.command, " "), end.exit_status);
  const nlohmann::json json = ReportToJson(report);
  const auto replace = nlohmann::json::error_handler_t::replace;
  std::cerr << (request.json ? json.dump(-1, ' ', false, replace) + "\n"
                             : ReportToText(report));
  if (request.report_path.empty()) return absl::OkStatus();
  return WriteFileAtomically(request.report_path,
                             json.dump(2, ' ', false, replace) + "\n");
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

  const SignalBlock block;
  absl::StatusOr<RunEnd> end =
      RunJob(request, *installation, directory->path());
  if (!end.ok()) return ReportError(end.status());
  if (end->started) ReportError(PublishReport(*end, request));
  return end->exit_status;
}

void AddRunCommand(CLI::App& root, const std::vector<std::string>& job_command,
                   CommandList& commands) {
  auto request = std::make_shared<RunRequest>();
  CLI::App* app = root.add_subcommand(
      "run", "Run a training command under a limit on fast memory");
  app->footer("The command follows '--': stowage run --fast 40% -- CMD ...");
  app->add_option("--fast", request->fast,
                  "Limit on tensor bytes in fast memory: a size (900MiB), a "
                  "share of the job's tensor peak (40%), or unlimited");
  app->add_option("--slow", request->slow,
                  "Slow tier: file:DIR, pmem:DIR, numa:N, emulated:NAME");
  app->add_option("--policy", request->policy, "Policy that makes the plan");
  app->add_option("--agent", request->agent_socket,
                  "Socket of a running agent; a private one by default")
      ->envname("STOWAGE_AGENT");
  app->add_option("--agent-report-dir", request->agent_report_dir,
                  "Where the agent named by --agent leaves its reports")
      ->envname("STOWAGE_REPORT_DIR");
  app->add_option("--service", request->service_address,
                  "Address of a running service; a private one by default")
      ->envname("STOWAGE_SERVICE");
  app->add_option("--report", request->report_path,
                  "Write a report of the run (JSON) to this file");
  AddFormatOption(*app, request->json);
  commands.push_back({app, [request, &job_command] {
                        request->command = job_command;
                        return Run(*request);
                      }});
}

}  // namespace stowage::cli
