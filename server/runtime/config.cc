#include "server/runtime/config.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/reflection.h"
#include "absl/flags/usage_config.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "network/loopback.h"
#include "server/access/roles.h"
#include "server/runtime/state_directory.h"
#include "server/runtime/version.h"
#include "server/storage/open_database.h"

ABSL_FLAG(std::string, listen, "127.0.0.1:7420",
          "gRPC address: host:port (port 0: any free one) or unix:/path");
ABSL_FLAG(bool, allow_plaintext, false,
          "let --listen be an address that other hosts reach, in plain text");
ABSL_FLAG(std::string, tls_certificate, "",
          "PEM file of the service's certificate, for mutual TLS; empty: plain "
          "text");
ABSL_FLAG(std::string, tls_key, "", "PEM file of its private key");
ABSL_FLAG(std::string, tls_authorities, "",
          "PEM file of the authorities that issue certificates to clients");
ABSL_FLAG(std::string, trust_domain, "stowage",
          "trust domain of clients: spiffe://DOMAIN/ROLE/NAME in a certificate "
          "gives its role, scheduler, agent, job or operator");
ABSL_FLAG(std::vector<std::string>, roles, {},
          "roles of clients by the DNS names of their certificates: "
          "ROLE=NAME or ROLE=*.PARENT, separated by commas");
ABSL_FLAG(std::string, metrics_address, "127.0.0.1:9464",
          "HTTP address of Prometheus metrics, host:port; empty: none");
ABSL_FLAG(
    std::string, db, "",
    "database: a path of an SQLite file, :memory:, or a URL of PostgreSQL, "
    "postgresql://USER@HOST/DATABASE, which several replicas may share; empty: "
    "stowaged.db in the state directory");
ABSL_FLAG(int64_t, retain_graphs, 10'000,
          "graphs that are kept; beyond, those used longest ago go");
ABSL_FLAG(int64_t, retain_plans, 100'000, "plans that are kept");
ABSL_FLAG(int64_t, retain_mib, 65'536,
          "MiB that graphs are kept in, with all that belongs to them");
ABSL_FLAG(
    std::string, port_file, "",
    "file that receives the bound gRPC and metrics addresses, a line each,"
    " when the server is ready");
ABSL_FLAG(bool, reflection, true, "serve gRPC reflection");
ABSL_FLAG(
    absl::Duration, heartbeat_interval, absl::Seconds(5),
    "how often agents send heartbeats; a node is dead after three without");
ABSL_FLAG(absl::Duration, drain_timeout, absl::Seconds(10),
          "how long RPCs under way may take after SIGTERM");
ABSL_FLAG(
    int, planning_threads, 0,
    "how many plans are made at a time; 0: half as many as there are cores, "
    "at least one");
ABSL_FLAG(
    int, planning_waiting, 64,
    "plans that may wait to be made; beyond, callers are told when to ask "
    "again");
ABSL_FLAG(
    int64_t, planning_memory_mib, 4096,
    "MiB that plans made at the same time may take together, by estimate");
ABSL_FLAG(absl::Duration, planning_wait, absl::Minutes(2),
          "how long a plan may wait to be made");
ABSL_FLAG(absl::Duration, planning_time, absl::Minutes(10),
          "how long making a plan may take");
ABSL_FLAG(
    int, training_cores, 1,
    "how many DQN policies are trained at a time, each on a core; 0: none");
ABSL_FLAG(int, training_nice, 19,
          "niceness of trainings, 0 (as this program) to 19");
ABSL_FLAG(
    double, drift_threshold, 0.2,
    "share by which steps may differ from their prediction before the DQN "
    "policy of their job is trained again; 0: never");
ABSL_FLAG(std::string, trainer, "",
          "program that trains; empty: stowage-trainer beside this one");
ABSL_FLAG(bool, check_config, false,
          "check the configuration, print it and exit");

namespace stowage {
namespace {

constexpr int64_t kMib = int64_t{1} << 20;
constexpr int kMaxPlanningThreads = 256;
constexpr int kMaxPlanningWaiting = 1024;
constexpr int64_t kMaxPlanningMib = int64_t{1} << 30;
constexpr int64_t kMaxRetained = 1'000'000'000;
constexpr int kMaxTrainingCores = 256;
constexpr int kMaxNiceness = 19;
constexpr double kMaxDriftThreshold = 100;

// Returns the flags of this file. Those of Abseil are not ours to document or
// to set.
std::vector<absl::CommandLineFlag*> OwnFlags() {
  std::vector<absl::CommandLineFlag*> own;
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (absl::EndsWith(flag->Filename(), "server/runtime/config.cc")) {
      own.push_back(flag);
    }
  }
  std::sort(own.begin(), own.end(),
            [](const auto* a, const auto* b) { return a->Name() < b->Name(); });
  return own;
}

std::string Dashed(absl::string_view name) {
  return absl::StrReplaceAll(name, {{"_", "-"}});
}

std::string EnvironmentName(absl::string_view flag) {
  return absl::StrCat("STOWAGE_", absl::AsciiStrToUpper(flag));
}

absl::Status ReadEnvironment() {
  for (absl::CommandLineFlag* flag : OwnFlags()) {
    const std::string variable = EnvironmentName(flag->Name());
    const char* value = std::getenv(variable.c_str());
    std::string error;
    if (value == nullptr || flag->ParseFrom(value, &error)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("environment variable ", variable, " is '", value,
                     "': ", error, "; correct or unset it"));
  }
  return absl::OkStatus();
}

// Returns the argument as Abseil spells flags: with underscores, where ours
// have dashes.
std::string Underscored(std::string argument) {
  if (!absl::StartsWith(argument, "--")) return argument;
  const auto end = std::find(argument.begin(), argument.end(), '=');
  std::replace(argument.begin() + 2, end, '-', '_');
  return argument;
}

absl::Status ParseFlags(int argc, char** argv) {
  std::vector<std::string> arguments(argv, argv + argc);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) {
    argument = Underscored(std::move(argument));
    pointers.push_back(argument.data());
  }
  absl::SetFlagsUsageConfig({.version_string = [] {
    return absl::StrCat("stowaged ", kVersion, "\n");
  }});
  const std::vector<char*> positional =
      absl::ParseCommandLine(argc, pointers.data());
  if (positional.size() <= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("unexpected argument '", positional[1],
                   "'; stowaged takes only flags, see --help"));
}

PlanningLimits PlanningFromFlags() {
  const int threads = absl::GetFlag(FLAGS_planning_threads);
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return {.threads = threads == 0 ? std::max(1, cores / 2) : threads,
          .waiting = absl::GetFlag(FLAGS_planning_waiting),
          .memory_bytes = absl::GetFlag(FLAGS_planning_memory_mib) * kMib,
          .wait = absl::GetFlag(FLAGS_planning_wait),
          .time = absl::GetFlag(FLAGS_planning_time)};
}

ServerConfig ConfigFromFlags() {
  return {.listen = absl::GetFlag(FLAGS_listen),
          .allow_plaintext = absl::GetFlag(FLAGS_allow_plaintext),
          .tls = {.certificate = absl::GetFlag(FLAGS_tls_certificate),
                  .key = absl::GetFlag(FLAGS_tls_key),
                  .authorities = absl::GetFlag(FLAGS_tls_authorities)},
          .trust_domain = absl::GetFlag(FLAGS_trust_domain),
          .roles = absl::GetFlag(FLAGS_roles),
          .metrics_address = absl::GetFlag(FLAGS_metrics_address),
          .db = absl::GetFlag(FLAGS_db),
          .port_file = absl::GetFlag(FLAGS_port_file),
          .retention = {.graphs = absl::GetFlag(FLAGS_retain_graphs),
                        .plans = absl::GetFlag(FLAGS_retain_plans),
                        .size_bytes = absl::GetFlag(FLAGS_retain_mib) * kMib},
          .reflection = absl::GetFlag(FLAGS_reflection),
          .heartbeat_interval = absl::GetFlag(FLAGS_heartbeat_interval),
          .drain_timeout = absl::GetFlag(FLAGS_drain_timeout),
          .planning = PlanningFromFlags(),
          .training_cores = absl::GetFlag(FLAGS_training_cores),
          .drift_threshold = absl::GetFlag(FLAGS_drift_threshold),
          .training_nice = absl::GetFlag(FLAGS_training_nice),
          .trainer = absl::GetFlag(FLAGS_trainer),
          .check_only = absl::GetFlag(FLAGS_check_config)};
}

absl::Status CheckListen(const ServerConfig& config) {
  if (config.listen.empty()) {
    return absl::InvalidArgumentError(
        "--listen is empty; name host:port or unix:/path");
  }
  const absl::StatusOr<bool> stays = StaysOnHost(config.listen);
  if (!stays.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--listen: ", stays.status().message()));
  }
  if (*stays || !config.tls.empty() || config.allow_plaintext) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--listen is ", config.listen,
      ", which other hosts reach, but without certificates the service speaks "
      "plain text and authenticates nobody; name --tls-certificate, --tls-key "
      "and --tls-authorities, listen at 127.0.0.1 or a Unix socket, or force "
      "it "
      "with --allow-plaintext"));
}

absl::Status CheckTls(const ServerConfig& config) {
  if (absl::Status named = CheckNamed(config.tls, "--tls-"); !named.ok()) {
    return named;
  }
  const absl::StatusOr<Roles> roles =
      Roles::Make(config.trust_domain, config.roles);
  if (!roles.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--roles: ", roles.status().message()));
  }
  if (config.tls.empty() && !config.roles.empty()) {
    return absl::InvalidArgumentError(
        "--roles is of no use without --tls-certificate: in plain text every "
        "client may do everything");
  }
  return absl::OkStatus();
}

// Checks a duration. Errors read like "--planning-wait is 0; name 1 ms to 1 h".
absl::Status CheckDuration(absl::string_view flag, absl::Duration value) {
  if (value >= absl::Milliseconds(1) && value <= absl::Hours(1)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      flag, " is ", absl::FormatDuration(value), "; name 1ms to 1h"));
}

absl::Status CheckCount(absl::string_view flag, int64_t value, int64_t least,
                        int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(flag, " is ", value, "; name ", least, " to ", most));
}

absl::Status CheckPlanning(const PlanningLimits& planning) {
  absl::Status valid = CheckCount("--planning-threads", planning.threads, 1,
                                  kMaxPlanningThreads);
  valid.Update(CheckCount("--planning-waiting", planning.waiting, 0,
                          kMaxPlanningWaiting));
  valid.Update(CheckCount("--planning-memory-mib", planning.memory_bytes / kMib,
                          1, kMaxPlanningMib));
  valid.Update(CheckDuration("--planning-wait", planning.wait));
  valid.Update(CheckDuration("--planning-time", planning.time));
  return valid;
}

absl::Status CheckRetention(const RetentionBounds& bounds) {
  absl::Status valid =
      CheckCount("--retain-graphs", bounds.graphs, 1, kMaxRetained);
  valid.Update(CheckCount("--retain-plans", bounds.plans, 1, kMaxRetained));
  valid.Update(
      CheckCount("--retain-mib", bounds.size_bytes / kMib, 1, kMaxRetained));
  return valid;
}

absl::Status Validate(const ServerConfig& config) {
  if (absl::Status valid = CheckRetention(config.retention); !valid.ok()) {
    return valid;
  }
  if (absl::Status valid = CheckPlanning(config.planning); !valid.ok()) {
    return valid;
  }
  if (absl::Status valid = CheckTls(config); !valid.ok()) return valid;
  if (absl::Status valid = CheckListen(config); !valid.ok()) return valid;
  if (config.heartbeat_interval < absl::Milliseconds(1) ||
      config.heartbeat_interval > absl::Hours(1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--heartbeat-interval is ",
        absl::FormatDuration(config.heartbeat_interval), "; name 1ms to 1h"));
  }
  if (config.drain_timeout < absl::ZeroDuration() ||
      config.drain_timeout > absl::Hours(1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--drain-timeout is ", absl::FormatDuration(config.drain_timeout),
        "; name 0 to 1h"));
  }
  if (config.training_cores < 0 || config.training_cores > kMaxTrainingCores) {
    return absl::InvalidArgumentError(
        absl::StrCat("--training-cores is ", config.training_cores,
                     "; name 0 to ", kMaxTrainingCores));
  }
  if (!(config.drift_threshold >= 0 &&
        config.drift_threshold <= kMaxDriftThreshold)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--drift-threshold is ", config.drift_threshold,
                     "; name 0 (never) to ", kMaxDriftThreshold));
  }
  if (config.training_nice < 0 || config.training_nice > kMaxNiceness) {
    return absl::InvalidArgumentError(
        absl::StrCat("--training-nice is ", config.training_nice,
                     "; name 0 to ", kMaxNiceness));
  }
  return absl::OkStatus();
}

}  // namespace

bool PrintedHelp(int argc, char** argv) {
  const bool asked =
      std::any_of(argv + 1, argv + argc, [](const char* argument) {
        return absl::string_view(argument) == "--help" ||
               absl::string_view(argument) == "-h";
      });
  if (!asked) return false;
  std::cout << "stowaged: the placement service of Stowage.\n\n"
               "Flags, each also read from the environment:\n";
  for (const absl::CommandLineFlag* flag : OwnFlags()) {
    std::cout << "  --" << Dashed(flag->Name()) << "  (" << flag->Help()
              << "; default: '" << flag->DefaultValue() << "'; "
              << EnvironmentName(flag->Name()) << ")\n";
  }
  return true;
}

absl::StatusOr<ServerConfig> LoadConfig(int argc, char** argv) {
  if (absl::Status read = ReadEnvironment(); !read.ok()) return read;
  if (absl::Status parsed = ParseFlags(argc, argv); !parsed.ok()) return parsed;
  ServerConfig config = ConfigFromFlags();
  if (absl::Status valid = Validate(config); !valid.ok()) return valid;
  if (config.db.empty()) {
    absl::StatusOr<std::string> directory = MakeStateDirectory();
    if (!directory.ok()) return directory.status();
    config.db = absl::StrCat(*directory, "/stowaged.db");
  }
  return config;
}

std::string ToString(const ServerConfig& config) {
  return absl::StrCat(
      "--listen=", config.listen,
      "\n--allow-plaintext=", config.allow_plaintext ? "true" : "false",
      "\n--tls-certificate=", config.tls.certificate,
      "\n--tls-key=", config.tls.key,
      "\n--tls-authorities=", config.tls.authorities,
      "\n--trust-domain=", config.trust_domain,
      "\n--roles=", absl::StrJoin(config.roles, ","),
      "\n--metrics-address=", config.metrics_address,
      "\n--db=", DatabaseName(config.db),
      "\n--retain-graphs=", config.retention.graphs,
      "\n--retain-plans=", config.retention.plans,
      "\n--retain-mib=", config.retention.size_bytes / kMib,
      "\n--port-file=", config.port_file,
      "\n--reflection=", config.reflection ? "true" : "false",
      "\n--heartbeat-interval=",
      absl::FormatDuration(config.heartbeat_interval),
      "\n--drain-timeout=", absl::FormatDuration(config.drain_timeout),
      "\n--planning-threads=", config.planning.threads,
      "\n--planning-waiting=", config.planning.waiting,
      "\n--planning-memory-mib=", config.planning.memory_bytes / kMib,
      "\n--planning-wait=", absl::FormatDuration(config.planning.wait),
      "\n--planning-time=", absl::FormatDuration(config.planning.time),
      "\n--training-cores=", config.training_cores,
      "\n--drift-threshold=", config.drift_threshold,
      "\n--training-nice=", config.training_nice,
      "\n--trainer=", config.trainer, "\n");
}

}  // namespace stowage
