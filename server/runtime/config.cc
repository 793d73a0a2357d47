#include "server/runtime/config.h"

#include <algorithm>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "daemon/settings.h"
#include "network/loopback.h"
#include "server/access/roles.h"
#include "server/runtime/state_directory.h"
#include "server/runtime/version.h"
#include "server/storage/open_database.h"

namespace stowage {
namespace {

constexpr int64_t kMib = int64_t{1} << 20;
constexpr int kMaxPlanningThreads = 256;
constexpr int kMaxPlanningWaiting = 1024;
constexpr int64_t kMaxPlanningMib = int64_t{1} << 30;
constexpr int64_t kMaxRetained = 1'000'000'000;
constexpr int kMaxTrainingCores = 256;
constexpr int kMaxNiceness = 19;
constexpr double kMaxShare = 1e6;
constexpr int kMaxStreams = 1'000'000;
constexpr double kMaxDriftThreshold = 100;

constexpr absl::Duration kLeastTime = absl::Milliseconds(1);
constexpr absl::Duration kMostTime = absl::Hours(1);

void AddAddresses(Settings& settings, ServerConfig& config) {
  settings.Add("listen", &config.listen,
               "gRPC address: host:port (port 0: any free one) or unix:/path");
  settings.Add("allow-plaintext", &config.allow_plaintext,
               "Let --listen be an address that other hosts reach, in plain "
               "text");
  settings.Add("metrics-address", &config.metrics_address,
               "HTTP address of Prometheus metrics, host:port; empty: none");
  settings.Add("extender-address", &config.extender_address,
               "HTTP address for a Kubernetes scheduler that extends itself by "
               "this service, host:port; empty: none");
  settings.Add("port-file", &config.port_file,
               "File that receives the bound addresses of gRPC, metrics and "
               "extender, a line each, when the server is ready");
  settings.Add("reflection", &config.reflection, "Serve gRPC reflection");
}

void AddAccess(Settings& settings, ServerConfig& config) {
  settings.Add("tls-certificate", &config.tls.certificate,
               "PEM file of the service's certificate, for mutual TLS; empty: "
               "plain text");
  settings.Add("tls-key", &config.tls.key, "PEM file of its private key");
  settings.Add("tls-authorities", &config.tls.authorities,
               "PEM file of the authorities that issue certificates to "
               "clients");
  settings.Add("trust-domain", &config.trust_domain,
               "Trust domain of clients: spiffe://DOMAIN/ROLE/NAME in a "
               "certificate gives its role, scheduler, agent, job or operator");
  settings.AddList("roles", &config.roles, ',',
                   "Roles of clients by the DNS names of their certificates: "
                   "ROLE=NAME or ROLE=*.PARENT, separated by commas");
  settings.AddNumber("calls-per-second", &config.limits.calls_per_second, 0.0,
                     kMaxShare, "Calls that an identity may make; 0: no bound");
  settings.AddNumber("streams", &config.limits.streams, 0, kMaxStreams,
                     "Streams that an identity may have open; 0: no bound");
  settings.AddNumber("graph-mib", &config.limits.graph_mib, 0.0, kMaxShare,
                     "MiB of the largest graph that an identity may register; "
                     "0: no bound");
  settings.AddNumber("stored-mib-per-minute",
                     &config.limits.stored_mib_per_minute, 0.0, kMaxShare,
                     "MiB of graphs that an identity may register; 0: no "
                     "bound");
}

void AddPlanning(Settings& settings, PlanningLimits& planning,
                 int64_t& memory_mib) {
  settings.AddNumber("planning-threads", &planning.threads, 0,
                     kMaxPlanningThreads,
                     "How many plans are made at a time; 0: half as many as "
                     "there are cores, at least one");
  settings.AddNumber("planning-waiting", &planning.waiting, 0,
                     kMaxPlanningWaiting,
                     "Plans that may wait to be made; beyond, callers are told "
                     "when to ask again");
  settings.AddNumber("planning-memory-mib", &memory_mib, int64_t{1},
                     kMaxPlanningMib,
                     "MiB that plans made at the same time may take together, "
                     "by estimate");
  settings.AddDuration("planning-wait", &planning.wait, kLeastTime, kMostTime,
                       "How long a plan may wait to be made");
  settings.AddDuration("planning-time", &planning.time, kLeastTime, kMostTime,
                       "How long making a plan may take");
}

void AddTraining(Settings& settings, ServerConfig& config) {
  settings.AddNumber("training-cores", &config.training_cores, 0,
                     kMaxTrainingCores,
                     "How many DQN policies are trained at a time, each on a "
                     "core; 0: none");
  settings.AddNumber("training-nice", &config.training_nice, 0, kMaxNiceness,
                     "Niceness of trainings, 0 (as this program) to 19");
  settings.AddNumber("drift-threshold", &config.drift_threshold, 0.0,
                     kMaxDriftThreshold,
                     "Share by which steps may differ from their prediction "
                     "before the DQN policy of their job is trained again; 0: "
                     "never");
  settings.Add("trainer", &config.trainer,
               "Program that trains; empty: stowage-trainer beside this one");
}

void AddDatabase(Settings& settings, ServerConfig& config,
                 int64_t& retain_mib) {
  settings.Add("db", &config.db,
               "Database: the path of an SQLite file, :memory:, or a URL of "
               "PostgreSQL, postgresql://USER@HOST/DATABASE, which several "
               "replicas may share; empty: stowaged.db in the state directory");
  settings.AddNumber("retain-graphs", &config.retention.graphs, int64_t{1},
                     kMaxRetained,
                     "Graphs that are kept; beyond, those used longest ago go");
  settings.AddNumber("retain-plans", &config.retention.plans, int64_t{1},
                     kMaxRetained, "Plans that are kept");
  settings.AddNumber("retain-mib", &retain_mib, int64_t{1}, kMaxRetained,
                     "MiB that graphs are kept in, with all that belongs to "
                     "them");
}

void AddDrain(Settings& settings, ServerConfig& config) {
  settings.AddDuration("grace-period", &config.grace_period,
                       absl::ZeroDuration(), kMostTime,
                       "Time from SIGTERM to the kill, of which --drain-delay "
                       "and --drain-timeout get their parts; 0: not known");
  settings.AddDuration("drain-delay", &config.drain.delay, absl::ZeroDuration(),
                       kMostTime,
                       "How long after SIGTERM the service says that it is not "
                       "ready and still serves");
  settings.AddDuration("drain-timeout", &config.drain.timeout,
                       absl::ZeroDuration(), kMostTime,
                       "How long RPCs under way may take after that");
}

// Values that the configuration has in other units.
struct Mib {
  int64_t planning;
  int64_t retain;
};

void AddAll(Settings& settings, ServerConfig& config, Mib& mib) {
  AddAddresses(settings, config);
  AddAccess(settings, config);
  AddDatabase(settings, config, mib.retain);
  settings.AddDuration("heartbeat-interval", &config.heartbeat_interval,
                       kLeastTime, kMostTime,
                       "How often agents send heartbeats; a node is dead after "
                       "three without");
  AddDrain(settings, config);
  AddPlanning(settings, config.planning, mib.planning);
  AddTraining(settings, config);
  settings.AddChoice("log-format", &config.log_format, {"text", "json"},
                     "Form of the lines on standard error, text or json");
  settings.AddAction("check-config", &config.check_only,
                     "Check the configuration, print it as a configuration "
                     "file and exit");
}

absl::Status CheckListen(const Settings& settings, const ServerConfig& config) {
  const std::string where = settings.Where("listen");
  if (config.listen.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(where, " is empty; name host:port or unix:/path"));
  }
  const absl::StatusOr<bool> stays = StaysOnHost(config.listen);
  if (!stays.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": ", stays.status().message()));
  }
  if (*stays || !config.tls.empty() || config.allow_plaintext) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      where, " is ", config.listen,
      ", which other hosts reach, but without certificates the service speaks "
      "plain text and authenticates nobody; name --tls-certificate, --tls-key "
      "and --tls-authorities, listen at 127.0.0.1 or a Unix socket, or force "
      "it with --allow-plaintext"));
}

absl::Status CheckTls(const Settings& settings, const ServerConfig& config) {
  if (absl::Status named = CheckNamed(config.tls, "--tls-"); !named.ok()) {
    return named;
  }
  const std::string where = settings.Where("roles");
  const absl::StatusOr<Roles> roles =
      Roles::Make(config.trust_domain, config.roles);
  if (!roles.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": ", roles.status().message()));
  }
  if (config.tls.empty() && !config.roles.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        where,
        " is of no use without --tls-certificate: in plain text every client "
        "may do everything"));
  }
  return absl::OkStatus();
}

// Returns the value of a duration that somebody has set.
std::optional<absl::Duration> IfSet(const Settings& settings,
                                    absl::string_view name,
                                    absl::Duration value) {
  if (!settings.IsSet(name)) return std::nullopt;
  return value;
}

absl::Status DivideGracePeriod(const Settings& settings, ServerConfig& config) {
  const absl::StatusOr<DrainTimes> times = DivideGrace(
      {.grace = config.grace_period,
       .delay = IfSet(settings, "drain-delay", config.drain.delay),
       .timeout = IfSet(settings, "drain-timeout", config.drain.timeout)});
  if (!times.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        settings.Where("grace-period"), " ", times.status().message()));
  }
  config.drain = *times;
  return absl::OkStatus();
}

// Puts in what is meant by settings that leave it open.
absl::Status Complete(ServerConfig& config) {
  if (config.planning.threads == 0) {
    const auto cores = static_cast<int>(std::thread::hardware_concurrency());
    config.planning.threads = std::clamp(cores / 2, 1, kMaxPlanningThreads);
  }
  if (!config.db.empty()) return absl::OkStatus();
  absl::StatusOr<std::string> directory = MakeStateDirectory();
  if (!directory.ok()) return directory.status();
  config.db = absl::StrCat(*directory, "/stowaged.db");
  return absl::OkStatus();
}

// Keeps the password of a database from logs and --check-config.
void HideSecret(ServerConfig& config) {
  const std::string name = DatabaseName(config.db);
  if (name == config.db) return;
  for (SettingValue& setting : config.settings) {
    if (setting.name == "db") setting.text = absl::StrCat("\"", name, "\"");
  }
}

}  // namespace

absl::StatusOr<ServerConfig> LoadConfig(int argc, char** argv) {
  ServerConfig config;
  config.planning.threads = 0;
  Mib mib = {.planning = config.planning.memory_bytes / kMib,
             .retain = config.retention.size_bytes / kMib};
  Settings settings({.name = "stowaged",
                     .summary = "The placement service of Stowage.",
                     .version = kVersion,
                     .variable_prefix = "STOWAGE_"});
  AddAll(settings, config, mib);
  if (absl::Status s = settings.Load(argc, argv); !s.ok()) return s;
  config.planning.memory_bytes = mib.planning * kMib;
  config.retention.size_bytes = mib.retain * kMib;
  if (absl::Status s = CheckTls(settings, config); !s.ok()) return s;
  if (absl::Status s = CheckListen(settings, config); !s.ok()) return s;
  if (absl::Status s = DivideGracePeriod(settings, config); !s.ok()) return s;
  if (absl::Status s = Complete(config); !s.ok()) return s;
  config.settings = settings.Values();
  HideSecret(config);
  return config;
}

}  // namespace stowage
