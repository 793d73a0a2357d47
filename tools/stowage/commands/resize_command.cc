#include "tools/stowage/commands/resize_command.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client_sdk/session/size_spec.h"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/run/private_services.h"
#include "tools/stowage/run/resize_call.h"

namespace stowage::cli {
namespace {

constexpr char kSharedSocket[] = "/run/stowage/agent.sock";

struct ResizeArguments {
  std::string job;
  std::string limit;
  std::string agent;
};

// Asks each agent until one has the job. Returns its answer, or the last one.
absl::StatusOr<session::ResizeAnswer> AskAgents(
    const std::vector<std::string>& sockets, const ResizeArguments& arguments) {
  absl::StatusOr<session::ResizeAnswer> last =
      absl::UnavailableError("no agent runs here; name one with --agent");
  for (const std::string& socket : sockets) {
    absl::StatusOr<session::ResizeAnswer> answer =
        CallForResize(socket, arguments.job, arguments.limit);
    if (!answer.ok() && last.ok()) continue;
    last = std::move(answer);
    if (last.ok() && last->job_id[0] != '\0') break;
  }
  return last;
}

int Resize(const ResizeArguments& arguments) {
  if (!session::ParseLimit(arguments.limit)) {
    return ReportError(absl::InvalidArgumentError(
        absl::StrCat("limit '", arguments.limit, "' ",
                     session::WhyNoLimit(arguments.limit))));
  }
  std::vector<std::string> sockets = {arguments.agent};
  if (arguments.agent.empty()) {
    sockets = PrivateServices::AgentSocketsInUse();
    sockets.push_back(kSharedSocket);
  }
  const absl::StatusOr<session::ResizeAnswer> answer =
      AskAgents(sockets, arguments);
  if (!answer.ok()) return ReportError(answer.status());
  switch (answer->result) {
    case session::kResizeObeyed:
      std::cout << "job " << answer->job_id << ": the limit is "
                << arguments.limit << " now\n";
      return kExitOk;
    case session::kResizeAwaited:
      std::cout << "job " << answer->job_id << ": " << answer->text << "\n";
      return kExitOk;
    default:
      return ReportError(absl::FailedPreconditionError(answer->text));
  }
}

}  // namespace

void AddResizeCommand(Options& root, CommandList& commands) {
  auto arguments = std::make_shared<ResizeArguments>();
  Options app = root.AddSubcommand(
      "resize", "Change the limit on fast memory of a running job");
  app.Add("job", arguments->job,
          "The job: its id, as `stowage status` shows it, or its process id")
      .Required();
  app.Add("limit", arguments->limit,
          "The new limit: a size (900MiB), a share of the job's tensor peak "
          "(40% or 0.4), or unlimited")
      .Required();
  app.Add("--agent", arguments->agent,
          "Socket of the agent; by default those of this user's runs and "
          "/run/stowage/agent.sock")
      .FromEnvironment("STOWAGE_AGENT");
  commands.push_back({app, [arguments] { return Resize(*arguments); }});
}

}  // namespace stowage::cli
