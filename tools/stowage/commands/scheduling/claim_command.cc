#include "tools/stowage/commands/scheduling/claim_command.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client_sdk/session/claim.h"
#include "nlohmann/json.hpp"
#include "tools/stowage/inputs/size_option.h"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/output/table.h"
#include "tools/stowage/output/units.h"
#include "tools/stowage/process/installation.h"
#include "tools/stowage/run/agent_call.h"
#include "tools/stowage/run/claim_call.h"
#include "tools/stowage/run/job_environment.h"

namespace stowage::cli {
namespace {

struct ClaimArguments {
  std::string name;
  std::string fast;
  std::string slow;
  std::string user;
  std::string agent = "/run/stowage/agent.sock";
  bool json = false;
};

using ClaimEntries = std::vector<session::ClaimEntry>;
using ClaimWork = std::function<absl::Status(const ClaimArguments&)>;

absl::StatusOr<uint32_t> UserOf(const std::string& user) {
  if (user.empty()) return getuid();
  if (uint32_t number = 0; absl::SimpleAtoi(user, &number)) return number;
  const passwd* found = getpwnam(user.c_str());
  if (found != nullptr) return found->pw_uid;
  return absl::NotFoundError(
      absl::StrCat("--user ", user, ": this host has no such user"));
}

absl::StatusOr<session::ClaimRequest> RequestFor(session::ClaimAction action,
                                                 const std::string& name) {
  session::ClaimRequest request{};
  request.action = action;
  if (FillField(name, request.name)) return request;
  return absl::InvalidArgumentError(
      absl::StrCat("'", name, "' is too long for the name of a claim"));
}

nlohmann::json ToJson(const session::ClaimEntry& entry) {
  return {{"claim", entry.name},
          {"user", entry.uid},
          {"fast_bytes", entry.fast_bytes},
          {"slow_bytes", entry.slow_bytes},
          {"jobs", entry.jobs},
          {"socket", entry.socket}};
}

absl::Status OpenClaim(const ClaimArguments& arguments) {
  const absl::StatusOr<int64_t> fast_bytes =
      ParseSize("--fast", arguments.fast);
  if (!fast_bytes.ok()) return fast_bytes.status();
  const absl::StatusOr<int64_t> slow_bytes =
      ParseSize("--slow", arguments.slow);
  if (!slow_bytes.ok()) return slow_bytes.status();
  const absl::StatusOr<uint32_t> user = UserOf(arguments.user);
  if (!user.ok()) return user.status();
  absl::StatusOr<session::ClaimRequest> request =
      RequestFor(session::kClaimOpen, arguments.name);
  if (!request.ok()) return request.status();
  request->fast_bytes = *fast_bytes;
  request->slow_bytes = *slow_bytes;
  request->uid = *user;
  const absl::StatusOr<ClaimEntries> opened =
      CallForClaims(arguments.agent, *request);
  if (!opened.ok()) return opened.status();
  for (const session::ClaimEntry& entry : *opened) {
    std::cout << (arguments.json ? ToJson(entry).dump() : entry.socket) << "\n";
  }
  return absl::OkStatus();
}

absl::Status CloseClaim(const ClaimArguments& arguments) {
  const absl::StatusOr<session::ClaimRequest> request =
      RequestFor(session::kClaimClose, arguments.name);
  if (!request.ok()) return request.status();
  return CallForClaims(arguments.agent, *request).status();
}

absl::Status ListClaims(const ClaimArguments& arguments) {
  const absl::StatusOr<ClaimEntries> claims =
      CallForClaims(arguments.agent, {.action = session::kClaimList});
  if (!claims.ok()) return claims.status();
  if (arguments.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const session::ClaimEntry& e : *claims) list.push_back(ToJson(e));
    std::cout << list.dump(2) << "\n";
    return absl::OkStatus();
  }
  Table table({"claim", "user", "fast memory", "slow memory", "jobs"});
  for (const session::ClaimEntry& e : *claims) {
    table.AddRow({e.name, absl::StrCat(e.uid), FormatBytes(e.fast_bytes),
                  FormatBytes(e.slow_bytes), absl::StrCat(e.jobs)});
  }
  std::cout << (claims->empty() ? "no claims\n" : table.ToText());
  return absl::OkStatus();
}

// Says what the processes of a claim have in their environment, without asking
// the agent, which a job's user may not do.
absl::Status PrintEnvironment(const ClaimArguments& arguments) {
  const std::filesystem::path socket =
      std::filesystem::path(arguments.agent).parent_path() /
      session::kClaimsFolder / arguments.name / session::kClaimSocket;
  std::error_code error;
  if (!std::filesystem::exists(socket, error)) {
    return absl::NotFoundError(absl::StrCat("claim '", arguments.name,
                                            "' is not open: there is no '",
                                            socket.string(), "'"));
  }
  const absl::StatusOr<Installation> installation = FindInstallation();
  if (!installation.ok()) return installation.status();
  if (absl::Status s = CheckInstalled(installation->preload_path); !s.ok()) {
    return s;
  }
  const char* preload = std::getenv("LD_PRELOAD");
  std::cout << "export LD_PRELOAD="
            << WithPreload(installation->preload_path,
                           preload == nullptr ? "" : preload)
            << "\nexport STOWAGE_PLUGIN=" << installation->plugin_path
            << "\nexport STOWAGE_PYTHON=" << installation->python_dir
            << "\nexport STOWAGE_AGENT=" << socket.string()
            << "\nexport STOWAGE_RUN_ID=" << arguments.name.substr(0, 63)
            << "\n";
  return absl::OkStatus();
}

Options AddAction(Options& parent, const std::string& name,
                  const std::string& help,
                  const std::shared_ptr<ClaimArguments>& arguments,
                  ClaimWork work, CommandList& commands) {
  Options app = parent.AddSubcommand(name, help);
  app.Add("--agent", arguments->agent, "Socket of the agent").ShowDefault();
  commands.push_back({app, [arguments, work = std::move(work)] {
                        return ReportError(work(*arguments));
                      }});
  return app;
}

void AddOpenCommand(Options& parent, CommandList& commands) {
  auto arguments = std::make_shared<ClaimArguments>();
  Options app = AddAction(
      parent, "open",
      "Give jobs a part of this node's memory, and print the socket at which "
      "they have it; repeating it changes nothing",
      arguments, OpenClaim, commands);
  app.Add("claim", arguments->name,
          "Its name: letters, digits, '.', '_' and '-', 64 at most")
      .Required();
  app.Add("--fast", arguments->fast,
          "Fast memory that its jobs may have together: 8GiB")
      .Required();
  app.Add("--slow", arguments->slow, "Slow memory: 64GiB").Required();
  app.Add("--user", arguments->user,
          "User whose jobs it is for, a name or a number; by default the one "
          "who opens it");
  app.AddFormat(arguments->json);
}

void AddNamed(Options& parent, const std::string& name, const std::string& help,
              ClaimWork work, CommandList& commands) {
  auto arguments = std::make_shared<ClaimArguments>();
  AddAction(parent, name, help, arguments, std::move(work), commands)
      .Add("claim", arguments->name, "Its name")
      .Required();
}

}  // namespace

void AddClaimCommands(Options& root, CommandList& commands) {
  Options parent = root.AddSubcommand(
      "claim", "Give jobs parts of this node's memory, as schedulers do");
  parent.RequireSubcommand();
  AddOpenCommand(parent, commands);
  AddNamed(parent, "close", "Close a claim, if it is open", CloseClaim,
           commands);
  AddNamed(parent, "env",
           "Print the variables that make processes jobs of a claim, as a "
           "TaskProlog of Slurm does",
           PrintEnvironment, commands);
  auto listed = std::make_shared<ClaimArguments>();
  AddAction(parent, "list", "List the claims that are open", listed, ListClaims,
            commands)
      .AddFormat(listed->json);
}

}  // namespace stowage::cli
