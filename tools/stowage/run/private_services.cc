#include "tools/stowage/run/private_services.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "agents/tiers/huge_pages.h"
#include "tools/stowage/process/temp_directory.h"

namespace stowage::cli {
namespace {

constexpr absl::Duration kReadyPollInterval = absl::Milliseconds(5);
constexpr absl::Duration kStopGrace = absl::Seconds(10);
// A child that ends sooner would do so again.
constexpr absl::Duration kShortLife = absl::Seconds(1);
constexpr size_t kMaxLogTailBytes = 4096;
constexpr char kServiceSocket[] = "stowaged.sock";
constexpr char kAgentSocket[] = "agent.sock";

// Returns the sockets of this name in the directories of this user's runs.
std::vector<std::string> SocketsInUse(absl::string_view name) {
  std::vector<std::string> sockets;
  for (const std::string& directory : TempDirectory::InUse()) {
    std::string socket = absl::StrCat(directory, "/", name);
    if (access(socket.c_str(), F_OK) == 0) sockets.push_back(std::move(socket));
  }
  return sockets;
}

std::string LogTail(const std::string& path) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)),
                   std::istreambuf_iterator<char>());
  if (text.size() > kMaxLogTailBytes) {
    text.erase(0, text.size() - kMaxLogTailBytes);
  }
  return std::string(absl::StripAsciiWhitespace(text));
}

absl::Status Failure(const ProcessOptions& options, absl::string_view why) {
  const std::string tail = LogTail(options.log_path);
  return absl::UnavailableError(absl::StrCat(
      "the private '", options.argv[0], "' ", why,
      tail.empty() ? ", and wrote nothing" : ", and wrote:\n", tail));
}

absl::Status CheckAlive(ChildProcess& process, const ProcessOptions& options) {
  const std::optional<int> status = process.Poll();
  if (!status) return absl::OkStatus();
  return Failure(options, absl::StrCat("ended with status ", *status));
}

// Returns the second line of the file in which stowaged says where it listens.
std::string MetricsAddressIn(const std::string& port_path) {
  std::ifstream file(port_path);
  std::string line;
  std::getline(file, line);
  std::getline(file, line);
  return line;
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

absl::StatusOr<PrivateServices::Daemon> PrivateServices::StartDaemon(
    ProcessOptions options, const std::string& ready_path,
    absl::Duration timeout) {
  absl::StatusOr<ChildProcess> child = ChildProcess::Start(options);
  if (!child.ok()) return child.status();
  const absl::Time deadline = absl::Now() + timeout;
  while (access(ready_path.c_str(), F_OK) != 0) {
    const absl::Status alive = CheckAlive(*child, options);
    if (!alive.ok()) return alive;
    if (absl::Now() > deadline) {
      return Failure(options, absl::StrCat("was not ready within ",
                                           absl::FormatDuration(timeout)));
    }
    absl::SleepFor(kReadyPollInterval);
  }
  return Daemon{std::move(options), *std::move(child)};
}

absl::StatusOr<PrivateServices> PrivateServices::Start(
    const Installation& installation, const ServicesOptions& options,
    const std::string& directory, absl::Duration timeout) {
  PrivateServices services;
  services.service_address_ = options.service_address;
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
        services.StartService(installation, options, directory, timeout);
    if (!started.ok()) return started;
  }
  using agent::HugePages;
  const HugePages before = agent::AdviseHugePages(/*keep=*/true);
  absl::Status started =
      services.StartAgent(installation, options, directory, timeout);
  if (!started.ok()) return started;
  // The agent's own words are in a log that nobody reads.
  const HugePages after = agent::AdviseHugePages(/*keep=*/true);
  if (before == HugePages::kRefused && after == HugePages::kGranted) {
    std::cerr << "stowage: " << agent::kAdvised << "\n";
  }
  return services;
}

absl::Status PrivateServices::StartService(const Installation& installation,
                                           const ServicesOptions& options,
                                           const std::string& directory,
                                           absl::Duration timeout) {
  service_address_ = absl::StrCat("unix:", directory, "/", kServiceSocket);
  const std::string port_path = absl::StrCat(directory, "/stowaged.port");
  ProcessOptions process{.argv = {installation.service_path},
                         .log_path = absl::StrCat(directory, "/stowaged.log"),
                         .detached = true};
  AddFlag("listen", service_address_, process.argv);
  AddFlag("db", ":memory:", process.argv);
  process.argv.push_back(
      absl::StrCat("--metrics-address=", options.metrics_address));
  AddFlag("port-file", port_path, process.argv);
  absl::StatusOr<Daemon> daemon =
      StartDaemon(std::move(process), port_path, timeout);
  if (!daemon.ok()) return daemon.status();
  service_ = *std::move(daemon);
  metrics_address_ = MetricsAddressIn(port_path);
  return absl::OkStatus();
}

absl::Status PrivateServices::StartAgent(const Installation& installation,
                                         const ServicesOptions& options,
                                         const std::string& directory,
                                         absl::Duration timeout) {
  agent_socket_ = absl::StrCat(directory, "/", kAgentSocket);
  const std::string ready_path = absl::StrCat(directory, "/agent.ready");
  ProcessOptions process{.argv = {installation.agent_path},
                         .log_path = absl::StrCat(directory, "/agent.log"),
                         .detached = true};
  AddFlag("socket", agent_socket_, process.argv);
  AddFlag("service", service_address_, process.argv);
  if (options.allow_plaintext) process.argv.push_back("--allow-plaintext");
  AddFlag("fast", options.fast, process.argv);
  AddFlag("fast-total", options.fast_total, process.argv);
  AddFlag("slow", options.slow, process.argv);
  AddFlag("system", options.system_path, process.argv);
  // The agent's jobs are this user's, and may name any directory of this user.
  AddFlag("slow-dir", "/", process.argv);
  AddFlag("policy", options.policy, process.argv);
  AddFlag("report-dir", report_dir_, process.argv);
  AddFlag("graph-dir", graph_dir_, process.argv);
  AddFlag("node", node_, process.argv);
  AddFlag("ready-file", ready_path, process.argv);
  absl::StatusOr<Daemon> daemon =
      StartDaemon(std::move(process), ready_path, timeout);
  if (!daemon.ok()) return daemon.status();
  agent_ = *std::move(daemon);
  return absl::OkStatus();
}

std::vector<std::string> PrivateServices::AddressesInUse() {
  std::vector<std::string> addresses;
  for (const std::string& socket : SocketsInUse(kServiceSocket)) {
    addresses.push_back(absl::StrCat("unix:", socket));
  }
  return addresses;
}

std::vector<std::string> PrivateServices::AgentSocketsInUse() {
  return SocketsInUse(kAgentSocket);
}

absl::Status PrivateServices::CheckRunning() {
  for (std::optional<Daemon>* daemon : {&service_, &agent_}) {
    if (!*daemon) continue;
    const absl::Status alive =
        CheckAlive((*daemon)->process, (*daemon)->options);
    if (!alive.ok()) return alive;
  }
  return absl::OkStatus();
}

void PrivateServices::Revive() {
  for (std::optional<Daemon>* daemon : {&service_, &agent_}) {
    if (!*daemon) continue;
    const std::optional<int> status = (*daemon)->process.Poll();
    if (!status) continue;
    ProcessOptions options = std::move((*daemon)->options);
    const bool lived = absl::Now() - (*daemon)->started > kShortLife;
    daemon->reset();
    std::cerr << "stowage: the private '" << options.argv[0]
              << "' ended with status " << *status;
    absl::StatusOr<ChildProcess> child =
        lived ? ChildProcess::Start(options)
              : absl::UnavailableError("it had just been started");
    if (child.ok()) {
      std::cerr << "; it has been started again\n";
      *daemon = Daemon{std::move(options), *std::move(child)};
    } else {
      std::cerr << " and is not started again: " << child.status().message()
                << "\n"
                << LogTail(options.log_path) << "\n";
    }
  }
}

void PrivateServices::Stop() {
  if (agent_) agent_->process.Stop(kStopGrace);
  if (service_) service_->process.Stop(kStopGrace);
  agent_.reset();
  service_.reset();
}

}  // namespace stowage::cli
