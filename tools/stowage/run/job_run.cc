#include "tools/stowage/run/job_run.h"

#include <signal.h>
#include <unistd.h>

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client_sdk/session/size_spec.h"
#include "tools/stowage/graphs/captured_graphs.h"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/process/child_process.h"
#include "tools/stowage/process/foreground.h"
#include "tools/stowage/run/job_environment.h"
#include "tools/stowage/run/private_services.h"

namespace stowage::cli {
namespace {

constexpr int kCommandNotExecutable = 126;
constexpr int kCommandNotFound = 127;
constexpr absl::Duration kReportWait = absl::Seconds(2);
constexpr absl::Duration kReportPollInterval = absl::Milliseconds(20);

std::string NewRunId() {
  return absl::StrCat("run-", absl::ToUnixMicros(absl::Now()), "-", getpid());
}

// Asks the command to end, and its jobs, which may be processes below it.
void End(const ChildProcess& command, const std::vector<pid_t>& jobs) {
  kill(command.pid(), SIGTERM);
  for (const pid_t job : jobs) kill(job, SIGTERM);
}

// Runs the command. One that cannot be run ends as it would in a shell.
JobRun RunInForeground(const RunRequest& request,
                       std::vector<std::string> environment,
                       std::optional<PrivateServices>& services,
                       const std::string& run_id, const IsEnough& is_enough) {
  // A Ctrl-C while the services started was meant for all of it.
  if (const std::optional<int> signal = TakePendingSignal()) {
    return {.exit_status = 128 + *signal};
  }
  absl::StatusOr<ChildProcess> command =
      ChildProcess::Start({.argv = request.command,
                           .environment = std::move(environment),
                           .prints_to_stderr = request.prints_to_stderr});
  if (command.ok()) {
    const auto revive = [&services] {
      if (services) services->Revive();
    };
    std::function<void()> on_tick;
    if (services && is_enough) {
      on_tick = [&] {
        if (is_enough(services->graph_dir(), run_id)) {
          End(*command, CapturedJobs(services->graph_dir(), run_id));
        }
      };
    }
    return {.exit_status = WaitInForeground(*command, revive, on_tick),
            .started = true};
  }
  ReportError(command.status());
  return {.exit_status = absl::IsNotFound(command.status())
                             ? kCommandNotFound
                             : kCommandNotExecutable};
}

// Waits for the reports of the jobs. An agent that goes on writes them when it
// sees its jobs hang up, which may be a moment after the command has ended.
Sessions AwaitSessions(const std::string& report_dir,
                       const std::string& run_id) {
  const absl::Time deadline = absl::Now() + kReportWait;
  Sessions sessions = ReadSessions(report_dir, run_id);
  while (sessions.jobs.empty() && absl::Now() < deadline) {
    absl::SleepFor(kReportPollInterval);
    sessions = ReadSessions(report_dir, run_id);
  }
  return sessions;
}

}  // namespace

absl::StatusOr<JobRun> RunJob(const RunRequest& request,
                              const Installation& installation,
                              const std::string& directory,
                              const IsEnough& is_enough) {
  const SignalBlock block;
  JobWiring wiring{.run_id = NewRunId(),
                   .agent_socket = request.agent_socket,
                   .report_dir = request.agent_report_dir.empty()
                                     ? directory
                                     : request.agent_report_dir};
  std::optional<PrivateServices> services;
  if (request.agent_socket.empty()) {
    const std::string fast = FastOf(request);
    const std::optional<int64_t> host_limit = session::ParseHostLimit(fast);
    absl::StatusOr<PrivateServices> started = PrivateServices::Start(
        installation,
        {.fast = host_limit ? "unlimited" : fast,
         .fast_total = host_limit ? absl::StrCat(*host_limit) : "",
         .slow = request.slow,
         .system_path = request.system_path,
         .policy = request.policy,
         .service_address = request.service_address,
         .allow_plaintext = request.allow_plaintext},
        directory);
    if (!started.ok()) return started.status();
    services = *std::move(started);
    wiring.agent_socket = services->agent_socket();
    wiring.report_dir = services->report_dir();
  }
  JobRun run = RunInForeground(
      request,
      JobEnvironment(CurrentEnvironment(), installation, request, wiring),
      services, wiring.run_id, is_enough);
  if (services) {
    services->Stop();
    run.graph_dir = services->graph_dir();
    if (!request.plot_path.empty() || request.lower_bound) {
      run.planned = LoadPlannedStep(run.graph_dir, wiring.run_id);
    }
  }
  run.run_id = wiring.run_id;
  run.sessions = services ? ReadSessions(wiring.report_dir, wiring.run_id)
                          : AwaitSessions(wiring.report_dir, wiring.run_id);
  return run;
}

}  // namespace stowage::cli
