// Runs stowage-agent, the node agent. docs/reference-agent.md says how to use
// it.
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "agents/claims/local_claims.h"
#include "agents/claims/served_claim.h"
#include "agents/config.h"
#include "agents/engine/system_file.h"
#include "agents/engine/tier_catalog.h"
#include "agents/engine/tier_use.h"
#include "agents/jobs/admission/slow_directories.h"
#include "agents/jobs/job_server.h"
#include "agents/jobs/planning/service_link.h"
#include "agents/jobs/records/whole_file.h"
#include "agents/kubernetes/kubernetes_driver.h"
#include "agents/kubernetes/node_memory.h"
#include "agents/metrics/agent_metrics.h"
#include "agents/metrics/counted_service.h"
#include "agents/metrics/job_series.h"
#include "agents/sharing/fast_memory.h"
#include "agents/telemetry/remote_service.h"
#include "agents/tiers/backing_file.h"
#include "agents/tiers/huge_pages.h"
#include "agents/tiers/tier_spec.h"
#include "daemon/grpc_log.h"
#include "daemon/log.h"
#include "daemon/reload.h"
#include "daemon/service_manager.h"
#include "daemon/setting_value.h"
#include "daemon/signals.h"
#include "network/certificates.h"
#include "network/gauge_collector.h"
#include "network/http_server.h"
#include "network/metrics_page.h"

namespace stowage::agent {
namespace {

enum ExitCode : int {
  kExitOk = 0,
  kExitUsage = 1,
  // A tier or a directory cannot be used; the message says what to do.
  kExitTier = 2,
  // A socket cannot be bound, or the ready file cannot be written.
  kExitAddress = 3,
};

int Fail(const absl::Status& status, ExitCode code) {
  Log(LogLevel::kError, status.message());
  return code;
}

// Returns those for mutual TLS; null where there are none.
absl::StatusOr<std::shared_ptr<Certificates>> LoadCertificates(
    const AgentConfig& config) {
  if (config.tls.empty()) return nullptr;
  return Certificates::Load(config.tls, {.on_change = LogCertificates});
}

std::unique_ptr<ServiceLink> ConnectService(
    const AgentConfig& config, std::shared_ptr<Certificates> certificates,
    const v1::MemorySystem& system) {
  if (config.service.empty()) return std::make_unique<NoService>();
  return std::make_unique<RemoteService>(
      RemoteServiceOptions{.address = config.service,
                           .certificates = std::move(certificates),
                           .server_name = config.server_name,
                           .node = config.node,
                           .system = system,
                           .agent_version = STOWAGE_VERSION,
                           .fast_total_bytes = config.fast_total_bytes});
}

// Returns the directories of jobs, for an agent whose default tier is `slow`.
absl::StatusOr<JobDirectories> FindDirectories(const AgentConfig& config,
                                               const std::string& slow) {
  for (const std::string& directory : {config.report_dir, config.graph_dir}) {
    if (directory.empty()) continue;
    if (absl::Status s = CheckDirectory(directory); !s.ok()) return s;
  }
  absl::StatusOr<SlowDirectories> resolved =
      SlowDirectories::Resolve(slow, config.slow_dirs);
  if (!resolved.ok()) return resolved.status();
  return JobDirectories{.report_dir = config.report_dir,
                        .graph_dir = config.graph_dir,
                        .slow = *std::move(resolved)};
}

// Returns the memory system that --system names, if it does.
absl::StatusOr<std::optional<v1::MemorySystem>> KnownSystem(
    const AgentConfig& config) {
  if (config.system.empty()) return std::nullopt;
  return ReadSystemFile(config.system);
}

// Returns INVALID_ARGUMENT if the system that is known is not the one that jobs
// get which ask for nothing else.
absl::Status CheckSuits(const std::optional<v1::MemorySystem>& known,
                        const v1::MemorySystem& used) {
  if (!known || known->tiers(1).name() == used.tiers(1).name()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--system has the slow tier '", known->tiers(1).name(),
                   "', and --slow is '", used.tiers(1).name(),
                   "'; calibrate this tier or leave --system out"));
}

void AskForHugePages(const AgentConfig& config) {
  switch (AdviseHugePages(config.keep_huge_pages)) {
    case HugePages::kChanged:
      Log(LogLevel::kInfo, kAdvised);
      break;
    case HugePages::kRefused:
      Log(LogLevel::kWarning, kHowToAdvise);
      break;
    case HugePages::kGranted:
    case HugePages::kUnknown:
      break;
  }
}

// Null until it serves.
using Driver = std::atomic<const KubernetesDriver*>;

void AddKubernetes(const Driver& driver, GaugeCollector* gauges) {
  const auto read = [&driver](auto what) {
    return [&driver, what] {
      const KubernetesDriver* serving = driver;
      return serving == nullptr ? 0.0 : static_cast<double>(what(*serving));
    };
  };
  gauges->Add("stowage_agent_claims",
              "Claims of Kubernetes pods that are prepared on this node.",
              read([](const auto& serving) { return serving.claims(); }));
  gauges->Add(
      "stowage_agent_kubelet_registered",
      "Whether the kubelet knows the driver: 1 or 0.",
      read([](const auto& serving) { return serving.is_registered(); }));
  gauges->Add("stowage_agent_slice_published",
              "Whether the node's ResourceSlice was right when last looked at: "
              "1 or 0.",
              read([](const auto& serving) { return serving.is_published(); }));
}

// Returns the gauges that are read when somebody looks.
std::shared_ptr<GaugeCollector> Gauges(const AgentConfig& config,
                                       const ServiceLink& service,
                                       const Driver& driver) {
  auto gauges = std::make_shared<GaugeCollector>();
  gauges->Add("stowage_agent_service_connected",
              "Whether the placement service answers and has this node "
              "registered: 1 or 0.",
              [&service] { return service.registered() ? 1.0 : 0.0; });
  gauges->Add(
      "stowage_agent_fast_total_bytes",
      "Fast memory for all jobs together; 0: no bound.",
      [bytes = config.fast_total_bytes] { return static_cast<double>(bytes); });
  if (config.kubernetes.is_on) AddKubernetes(driver, gauges.get());
  return gauges;
}

// Returns null without an address.
absl::StatusOr<std::unique_ptr<HttpServer>> ServeMetrics(
    const AgentConfig& config, const AgentMetrics& metrics,
    std::shared_ptr<JobSeries> jobs, const ServiceLink& service,
    const Driver& driver) {
  if (config.metrics_address.empty()) return nullptr;
  return HttpServer::Start(
      config.metrics_address, {.title = "stowage-agent"},
      {{"/healthz", [] { return HttpPage{.body = "ok\n"}; }},
       {"/metrics", [registry = metrics.registry(), jobs = std::move(jobs),
                     gauges = Gauges(config, service, driver)] {
          return MetricsPage({registry, jobs, gauges});
        }}});
}

// Returns null without --kubernetes.
absl::StatusOr<std::unique_ptr<KubernetesDriver>> ServeKubernetes(
    const AgentConfig& config, const SessionContext& context) {
  if (!config.kubernetes.is_on) return nullptr;
  const absl::StatusOr<NodeMemory> memory =
      FindNodeMemory(config.fast_total_bytes,
                     context.directories.slow.default_tier(), context.catalog);
  if (!memory.ok()) return memory.status();
  return KubernetesDriver::Start(config.kubernetes, *memory,
                                 {.defaults = config.job, .context = context});
}

// Returns what claims may have of the host. The configuration has been checked.
NodeAmounts AmountsOf(const AgentConfig& config) {
  const absl::StatusOr<TierSpec> slow = ParseTierSpec(config.job.slow);
  return {.fast_bytes = config.fast_total_bytes,
          .slow_bytes = slow.ok() ? slow->size_bytes : 0};
}

// What serves jobs. `kubernetes` may be null.
struct Served {
  JobServer& jobs;
  LocalClaims& claims;
  KubernetesDriver* kubernetes;
};

// Reads the configuration again, for SIGHUP. `started` is the one that the
// agent started with, `running` what is in use of it since.
void Reload(int argc, char** argv, const AgentConfig& started,
            const Served& served, std::vector<SettingValue>& running) {
  const absl::StatusOr<AgentConfig> config = LoadConfig(argc, argv);
  if (!config.ok()) return LogRefusedReload(config.status());
  absl::StatusOr<JobDirectories> directories =
      FindDirectories(*config, started.job.slow);
  if (!directories.ok()) return LogRefusedReload(directories.status());
  const ReloadedSettings reloaded = Reload(
      running, config->settings,
      {"fast", "policy", "report-dir", "graph-dir", "slow-dir", "log-format"});
  const JobDefaults defaults{.fast = config->job.fast,
                             .slow = started.job.slow,
                             .policy = config->job.policy};
  if (served.kubernetes != nullptr) {
    served.kubernetes->Change(defaults, *directories);
  }
  served.claims.Change(defaults, *directories);
  served.jobs.Change(defaults, *std::move(directories));
  SetLogFormat(LogFormatOf(config->log_format));
  running = reloaded.running;
  LogReload(reloaded);
}

int Serve(const AgentConfig& config, int argc, char** argv) {
  const auto directories = FindDirectories(config, config.job.slow);
  if (!directories.ok()) return Fail(directories.status(), kExitTier);
  const auto known = KnownSystem(config);
  if (!known.ok()) return Fail(known.status(), kExitUsage);
  const auto certificates = LoadCertificates(config);
  if (!certificates.ok()) return Fail(certificates.status(), kExitUsage);
  AskForHugePages(config);
  TierCatalog catalog(config.node, config.fast_tier, *known);
  const auto slow = catalog.Slow(directories->slow.default_tier());
  if (!slow.ok()) return Fail(slow.status(), kExitTier);
  const absl::Status suits = CheckSuits(*known, (*slow)->system);
  if (!suits.ok()) return Fail(suits, kExitUsage);
  const std::unique_ptr<ServiceLink> service =
      ConnectService(config, *certificates, (*slow)->system);
  const TierPlace default_slow = PlaceOf((*slow)->provider->traits());
  AgentMetrics metrics(STOWAGE_VERSION, default_slow,
                       config.slow_endurance_bytes);
  const auto jobs = std::make_shared<JobSeries>();
  CountedService counted(service.get(), &metrics, jobs.get(), default_slow);
  Driver driver = nullptr;
  const auto http = ServeMetrics(config, metrics, jobs, *service, driver);
  if (!http.ok()) return Fail(http.status(), kExitAddress);
  FastMemory fast_memory(config.fast_total_bytes);
  const SessionContext context{.node = config.node,
                               .directories = *directories,
                               .catalog = &catalog,
                               .service = &counted,
                               .fast_memory = &fast_memory,
                               .observer = counted.Observer()};
  LocalClaims claims(config.local_claims_dir, AmountsOf(config),
                     {.defaults = config.job, .context = context});
  absl::StatusOr<std::unique_ptr<JobServer>> server = JobServer::Start(
      config.socket, config.socket_access, config.job, context, &claims);
  if (!server.ok()) return Fail(server.status(), kExitAddress);
  claims.Begin();
  const auto kubernetes = ServeKubernetes(config, context);
  if (!kubernetes.ok()) return Fail(kubernetes.status(), kExitAddress);
  driver = kubernetes->get();
  if (!config.ready_file.empty()) {
    const std::string metrics_address =
        *http == nullptr ? "" : absl::StrCat((*http)->address(), "\n");
    const absl::Status ready =
        WriteWholeFile(config.ready_file, metrics_address);
    if (!ready.ok()) return Fail(ready, kExitAddress);
  }
  Log(LogLevel::kInfo, absl::StrCat("listening at ", config.socket),
      {{"metrics", *http == nullptr ? "" : (*http)->address()}});
  TellReady();
  std::vector<SettingValue> running = config.settings;
  const int signal = WaitForTermination([&] {
    Reload(argc, argv, config, {**server, claims, kubernetes->get()}, running);
  });
  TellStopping();
  Log(LogLevel::kInfo, "stopping; jobs go on alone", {{"signal", signal}});
  if (*kubernetes != nullptr) (*kubernetes)->Stop();
  (*server)->Stop();
  claims.Stop();  // when nobody opens one any more
  service->Close();
  // A plan that is being made may take minutes, and nobody waits for it.
  std::quick_exit(kExitOk);
}

int Main(int argc, char** argv) {
  BlockSignals();
  const absl::StatusOr<AgentConfig> config = LoadConfig(argc, argv);
  if (!config.ok()) {
    std::cerr << "stowage-agent: " << config.status().message() << std::endl;
    return kExitUsage;
  }
  if (config->check_only) {
    std::cout << ToConfigFile(config->settings);
    return kExitOk;
  }
  SetLogFormat(LogFormatOf(config->log_format));
  LogWhatGrpcSays();
  return Serve(*config, argc, argv);
}

}  // namespace
}  // namespace stowage::agent

int main(int argc, char** argv) { return stowage::agent::Main(argc, argv); }
