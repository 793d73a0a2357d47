#include "tools/stowage/commands/serve_command.h"

#include <iostream>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/process/foreground.h"
#include "tools/stowage/process/installation.h"
#include "tools/stowage/process/process_watch.h"
#include "tools/stowage/process/temp_directory.h"
#include "tools/stowage/run/private_services.h"

namespace stowage::cli {
namespace {

struct ServeRequest {
  ServicesOptions services;
  int until_exit_pid = 0;  // 0: until a signal arrives
  bool json = false;
};

// Prints where the services are. As text, the lines are what a shell can
// export.
void Announce(const PrivateServices& services, bool json) {
  if (json) {
    std::cout << nlohmann::json{{"agent", services.agent_socket()},
                                {"service", services.service_address()},
                                {"metrics", services.metrics_address()},
                                {"report_dir", services.report_dir()}}
              << std::endl;
    return;
  }
  std::cout << "STOWAGE_AGENT=" << services.agent_socket()
            << "\nSTOWAGE_SERVICE=" << services.service_address()
            << "\nSTOWAGE_REPORT_DIR=" << services.report_dir() << std::endl;
}

// Blocks until a signal arrives or the watched process ends.
absl::Status ServeUntilTheEnd(PrivateServices& services,
                              const ProcessWatch& watch) {
  while (WaitForEvent(watch.fd()) == Event::kChildEnded) {
    absl::Status running = services.CheckRunning();
    if (!running.ok()) return running;
  }
  return absl::OkStatus();
}

int Serve(const ServeRequest& request) {
  const SignalBlock block;
  absl::StatusOr<ProcessWatch> watch =
      ProcessWatch::Open(request.until_exit_pid);
  if (!watch.ok()) return ReportUsageError(watch.status());
  absl::StatusOr<Installation> installation = FindInstallation();
  if (!installation.ok()) return ReportError(installation.status());
  absl::StatusOr<TempDirectory> directory = TempDirectory::Make();
  if (!directory.ok()) return ReportError(directory.status());
  absl::StatusOr<PrivateServices> services = PrivateServices::Start(
      *installation, request.services, directory->path());
  if (!services.ok()) return ReportError(services.status());
  Announce(*services, request.json);
  const absl::Status served = ServeUntilTheEnd(*services, *watch);
  services->Stop();
  return ReportError(served);
}

}  // namespace

void AddServeCommand(Options& root, CommandList& commands) {
  auto request = std::make_shared<ServeRequest>();
  Options app = root.AddSubcommand(
      "serve", "Start a private agent and service, and say where they are");
  ServicesOptions& services = request->services;
  app.Add("--fast", services.fast,
          "Limit of jobs that name none: a size (900MiB), a share of "
          "the job's tensor peak (40% or 0.4), or unlimited");
  app.Add("--slow", services.slow,
          "Slow tier of jobs that name none: file:DIR, pmem:DIR, "
          "numa:N, emulated:NAME");
  app.Add("--policy", services.policy,
          "Policy that makes the plans of jobs that name none");
  app.Add("--service", services.service_address,
          "Address of a running service; a private one by default");
  app.Add("--allow-plaintext", services.allow_plaintext,
          "Talk in plain text to a service on another host");
  app.Add("--metrics-address", services.metrics_address,
          "Where the private service serves metrics, host:port; "
          "nowhere by default");
  app.Add("--until-exit", request->until_exit_pid,
          "End when the process with this id has ended")
      .Check(WholeNumberIn(1, std::numeric_limits<pid_t>::max()));
  app.AddFormat(request->json);
  commands.push_back({app, [request] { return Serve(*request); }});
}

}  // namespace stowage::cli
