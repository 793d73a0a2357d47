#include "tools/stowage/commands/resize_command.h"

#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client_sdk/session/size_spec.h"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/run/private_services.h"
#include "tools/stowage/run/resize_at_service.h"
#include "tools/stowage/run/resize_call.h"

namespace stowage::cli {
namespace {

constexpr char kSharedSocket[] = "/run/stowage/agent.sock";

struct ResizeArguments {
  std::string job;
  std::string limit;
  std::string agent;
  std::string service;
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

int TellObeyed(const std::string& job, const std::string& limit) {
  std::cout << "job " << job << ": the limit is " << limit << " now\n";
  return kExitOk;
}

int ResizeByAgent(const ResizeArguments& arguments) {
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
      return TellObeyed(answer->job_id, arguments.limit);
    case session::kResizeAwaited:
      std::cout << "job " << answer->job_id << ": " << answer->text << "\n";
      return kExitOk;
    default:
      return ReportError(absl::FailedPreconditionError(answer->text));
  }
}

int ResizeByService(const ResizeArguments& arguments,
                    const session::Limit& limit) {
  if (limit.slowdown > 0) {
    return ReportError(absl::FailedPreconditionError(
        "a running job cannot look for a limit; name a size or a share"));
  }
  const absl::StatusOr<v1::Resize> resize =
      ResizeAtService(arguments.service, arguments.job, limit);
  if (!resize.ok()) return ReportError(resize.status());
  switch (resize->state()) {
    case v1::RESIZE_STATE_OBEYED:
      return TellObeyed(arguments.job, arguments.limit);
    case v1::RESIZE_STATE_PENDING:
      std::cout << "job " << arguments.job
                << ": the job has not ended a step meanwhile; it obeys when "
                   "its step ends\n";
      return kExitOk;
    default:
      return ReportError(absl::FailedPreconditionError(resize->reason()));
  }
}

std::string Environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

int Resize(ResizeArguments arguments) {
  const std::optional<session::Limit> limit =
      session::ParseLimit(arguments.limit);
  if (!limit) {
    return ReportError(absl::InvalidArgumentError(
        absl::StrCat("limit '", arguments.limit, "' ",
                     session::WhyNoLimit(arguments.limit))));
  }
  // `stowage serve` prints both variables: they do not exclude one another, as
  // the options do.
  if (arguments.agent.empty() && arguments.service.empty()) {
    arguments.agent = Environment("STOWAGE_AGENT");
    if (arguments.agent.empty()) {
      arguments.service = Environment("STOWAGE_SERVICE");
    }
  }
  return arguments.service.empty() ? ResizeByAgent(arguments)
                                   : ResizeByService(arguments, *limit);
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
  Option agent = app.Add(
      "--agent", arguments->agent,
      "Socket of the agent, or STOWAGE_AGENT; by default those of this user's "
      "runs and /run/stowage/agent.sock");
  app.Add("--service", arguments->service,
          "Address of the service that tells the job's agent, or "
          "STOWAGE_SERVICE where no agent is named; the job is named by its id")
      .Excludes(agent);
  commands.push_back({app, [arguments] { return Resize(*arguments); }});
}

}  // namespace stowage::cli
