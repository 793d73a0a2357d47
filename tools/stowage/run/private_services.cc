#include "tools/stowage/run/private_services.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"

namespace stowage::cli {
namespace {

constexpr absl::Duration kReadyPollInterval = absl::Milliseconds(5);
constexpr absl::Duration kStopGrace = absl::Seconds(10);
constexpr size_t kMaxLogTailBytes = 4096;

std::string LogTail(const std::string& path) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)),
                   std::istreambuf_iterator<char>());
  if (text.size() > kMaxLogTailBytes) {
    text.erase(0, text.size() - kMaxLogTailBytes);
  }
  return std::string(absl::StripAsciiWhitespace(text));
}

absl::Status NotReady(const ProcessOptions& options, absl::string_view why) {
  const std::string tail = LogTail(options.log_path);
  return absl::UnavailableError(absl::StrCat(
      "the private '", options.argv[0], "' ", why,
      tail.empty() ? ", and wrote nothing" : ", and wrote:\n", tail));
}

// Starts the child and waits until it has written `ready_path`.
absl::StatusOr<ChildProcess> StartAndWait(const ProcessOptions& options,
                                          const std::string& ready_path,
                                          absl::Duration timeout) {
  absl::StatusOr<ChildProcess> child = ChildProcess::Start(options);
  if (!child.ok()) return child;
  const absl::Time deadline = absl::Now() + timeout;
  while (access(ready_path.c_str(), F_OK) != 0) {
    if (std::optional<int> status = child->Poll()) {
      return NotReady(options, absl::StrCat("ended with status ", *status));
    }
    if (absl::Now() > deadline) {
      return NotReady(options, absl::StrCat("was not ready within ",
                                            absl::FormatDuration(timeout)));
    }
    absl::SleepFor(kReadyPollInterval);
  }
  return child;
}

void AddFlag(absl::string_view name, const std::string& value,
             std::vector<std::string>& argv) {
  if (!value.empty()) argv.push_back(absl::StrCat("--", name, "=", value));
}

std::string HostName() {
  char name[256] = {};
  if (gethostname(name, sizeof(name) - 1) != 0) return "localhost";
  return name;
}

}  // namespace

absl::StatusOr<PrivateServices> PrivateServices::Start(
    const Installation& installation, const RunRequest& request,
    const std::string& directory, absl::Duration timeout) {
  PrivateServices services;
  services.service_address_ = request.service_address;
  services.node_ = HostName();
  services.report_dir_ = absl::StrCat(directory, "/reports");
  services.graph_dir_ = absl::StrCat(directory, "/graphs");
  for (const std::string& path : {services.report_dir_, services.graph_dir_}) {
    if (mkdir(path.c_str(), 0700) != 0) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot make ", path));
    }
  }
  if (services.service_address_.empty()) {
    absl::Status started =
        services.StartService(installation, directory, timeout);
    if (!started.ok()) return started;
  }
  absl::Status started =
      services.StartAgent(installation, request, directory, timeout);
  if (!started.ok()) return started;
  return services;
}

absl::Status PrivateServices::StartService(const Installation& installation,
                                           const std::string& directory,
                                           absl::Duration timeout) {
  service_address_ = absl::StrCat("unix:", directory, "/stowaged.sock");
  const std::string port_path = absl::StrCat(directory, "/stowaged.port");
  ProcessOptions options{.argv = {installation.service_path},
                         .log_path = absl::StrCat(directory, "/stowaged.log"),
                         .detached = true};
  AddFlag("listen", service_address_, options.argv);
  AddFlag("db", ":memory:", options.argv);
  options.argv.push_back("--metrics-address=");
  AddFlag("port-file", port_path, options.argv);
  absl::StatusOr<ChildProcess> child =
      StartAndWait(options, port_path, timeout);
  if (!child.ok()) return child.status();
  service_ = *std::move(child);
  return absl::OkStatus();
}

absl::Status PrivateServices::StartAgent(const Installation& installation,
                                         const RunRequest& request,
                                         const std::string& directory,
                                         absl::Duration timeout) {
  agent_socket_ = absl::StrCat(directory, "/agent.sock");
  const std::string ready_path = absl::StrCat(directory, "/agent.ready");
  ProcessOptions options{.argv = {installation.agent_path},
                         .log_path = absl::StrCat(directory, "/agent.log"),
                         .detached = true};
  AddFlag("socket", agent_socket_, options.argv);
  AddFlag("service", service_address_, options.argv);
  AddFlag("fast", request.fast, options.argv);
  AddFlag("slow", request.slow, options.argv);
  AddFlag("policy", request.policy, options.argv);
  AddFlag("report-dir", report_dir_, options.argv);
  AddFlag("graph-dir", graph_dir_, options.argv);
  AddFlag("node", node_, options.argv);
  AddFlag("ready-file", ready_path, options.argv);
  absl::StatusOr<ChildProcess> child =
      StartAndWait(options, ready_path, timeout);
  if (!child.ok()) return child.status();
  agent_ = *std::move(child);
  return absl::OkStatus();
}

void PrivateServices::Stop() {
  if (agent_) agent_->Stop(kStopGrace);
  if (service_) service_->Stop(kStopGrace);
  agent_.reset();
  service_.reset();
}

}  // namespace stowage::cli
