#include "agents/config.h"

#include <grp.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "agents/tiers/tier_spec.h"
#include "client_sdk/session/claim.h"
#include "client_sdk/session/size_spec.h"
#include "daemon/settings.h"
#include "network/loopback.h"

namespace stowage::agent {
namespace {

std::string DefaultSocket() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime == nullptr || *runtime == '\0') return "/run/stowage/agent.sock";
  return absl::StrCat(runtime, "/stowage/agent.sock");
}

// Values as the user gave them, that have yet to be parsed.
struct Texts {
  std::string socket_mode;
  std::string socket_group;
  std::string fast_total;
  std::string slow_endurance;
};

// Returns the mode; nullopt for all but three, since others make no sense for a
// socket.
std::optional<mode_t> ParseMode(absl::string_view text) {
  absl::ConsumePrefix(&text, "0");
  if (text == "600") return 0600;
  if (text == "660") return 0660;
  if (text == "666") return 0666;
  return std::nullopt;
}

std::optional<gid_t> FindGroup(const std::string& name) {
  if (uint32_t number = 0; absl::SimpleAtoi(name, &number)) return number;
  const group* found = getgrnam(name.c_str());
  if (found == nullptr) return std::nullopt;
  return found->gr_gid;
}

std::string HostName() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

AgentConfig Defaults() {
  AgentConfig config;
  config.socket = DefaultSocket();
  config.node = HostName();
  config.job.slow = "file:/tmp";
  return config;
}

void AddSocket(Settings& settings, AgentConfig& config, Texts& texts) {
  settings.Add("socket", &config.socket, "Unix socket that jobs connect to");
  settings.Add("socket-mode", &texts.socket_mode,
               "Mode of the socket, which says who may connect: 0600, 0660 or "
               "0666; empty: 0660 with --socket-group, else 0600");
  settings.Add("socket-group", &texts.socket_group,
               "Group of the socket, a name or a number; empty: the agent's");
}

void AddService(Settings& settings, AgentConfig& config) {
  settings.Add("service", &config.service,
               "Address of the placement service, host:port or unix:/path, or "
               "several of its replicas, separated by commas; empty: none, and "
               "jobs stay in demand mode");
  settings.Add("tls-certificate", &config.tls.certificate,
               "PEM file of this agent's certificate, for mutual TLS with the "
               "service; empty: plain text");
  settings.Add("tls-key", &config.tls.key, "PEM file of its private key");
  settings.Add("tls-authorities", &config.tls.authorities,
               "PEM file of the authorities that issue the service's "
               "certificate");
  settings.Add("server-name", &config.server_name,
               "DNS name that the service's certificate must have; empty: the "
               "host of --service");
  settings.Add("allow-plaintext", &config.allow_plaintext,
               "Talk to a service on another host in plain text, which "
               "everybody on the way can read and write");
}

void AddTiers(Settings& settings, AgentConfig& config, Texts& texts) {
  settings.Add("fast-tier", &config.fast_tier,
               "Fast tier: dram, or dram:N for NUMA node N");
  settings.Add("system", &config.system,
               "File of a memory system, which stowage calibrate wrote, for "
               "jobs on its tiers; empty: the agent measures them");
  settings.Add("fast", &config.job.fast,
               "Limit on fast memory of jobs that ask for none: 900MiB, 40% or "
               "0.4, auto, unlimited");
  settings.Add("fast-total", &texts.fast_total,
               "Fast memory for all jobs together, of which each is sure of "
               "its floor: 8GiB; empty: no bound");
  settings.Add("slow", &config.job.slow,
               "Slow tier of jobs that ask for none: file:DIR, pmem:DIR, "
               "numa:N, emulated:NAME");
  settings.AddList("slow-dir", &config.slow_dirs, ':',
                   "Directory that jobs may name as a slow tier, like those "
                   "below it, if their user may make files there; separate "
                   "several by ':'; every job may name the directory of "
                   "--slow");
  settings.Add("slow-endurance", &texts.slow_endurance,
               "Bytes that the device of --slow may be written in its life, as "
               "its vendor states them: 600TB; a metric beside those written");
  settings.Add("keep-huge-pages", &config.keep_huge_pages,
               "Leave the host's setting of huge pages for shared memory as it "
               "is, also where it says never");
}

void AddKubernetes(Settings& settings, KubernetesOptions& options) {
  settings.Add("kubernetes", &options.is_on,
               "Be a driver of Kubernetes' Dynamic Resource Allocation: offer "
               "--fast-total and the slow tier to claims of pods");
  settings.Add("kubelet-dir", &options.kubelet_dir,
               "Directory of the node's kubelet");
  settings.Add("cdi-dir", &options.cdi_dir,
               "Directory in which the container runtime looks for "
               "specifications of the Container Device Interface");
  settings.Add("sdk-dir", &options.sdk_dir,
               "Directory of the host with the libraries of jobs (lib, "
               "share/stowage), which containers with claims have mounted; "
               "empty: where the agent is installed");
  settings.Add("kubernetes-api", &options.api.url,
               "URL of the API server, https://host:port; empty: that of the "
               "cluster in which the agent is a pod");
  settings.Add("kubernetes-token", &options.api.token_file,
               "File with the token for the API server; empty: that of the "
               "pod's service account, none with --kubernetes-api");
  settings.Add("kubernetes-ca", &options.api.ca_file,
               "PEM file of the authority of the API server; empty: that of "
               "the pod's service account, the host's with --kubernetes-api");
}

void AddAll(Settings& settings, AgentConfig& config, Texts& texts) {
  AddSocket(settings, config, texts);
  AddService(settings, config);
  AddTiers(settings, config, texts);
  AddKubernetes(settings, config.kubernetes);
  settings.Add("policy", &config.job.policy,
               "Policy of jobs that ask for none; empty: the service's "
               "default");
  settings.Add("report-dir", &config.report_dir,
               "Directory for the jobs' reports; empty: none");
  settings.Add("graph-dir", &config.graph_dir,
               "Directory for the profiled graphs; empty: none");
  settings.Add("node", &config.node, "Name of this node");
  settings.Add("metrics-address", &config.metrics_address,
               "HTTP address of Prometheus metrics and of health, host:port; "
               "empty: none");
  settings.Add("ready-file", &config.ready_file,
               "File that is made when the agent listens, with the address of "
               "its metrics");
  settings.AddChoice("log-format", &config.log_format, {"text", "json"},
                     "Form of the lines on standard error, text or json");
  settings.AddAction("check-config", &config.check_only,
                     "Check the configuration, print it as a configuration "
                     "file and exit");
}

std::string GroupText(const std::optional<gid_t>& group) {
  return group ? absl::StrCat(*group) : "";
}

absl::StatusOr<SocketAccess> ParseAccess(const Settings& settings,
                                         const Texts& texts) {
  const std::string& group = texts.socket_group;
  SocketAccess access{.mode = group.empty() ? 0600u : 0660u};
  if (!texts.socket_mode.empty()) {
    const std::optional<mode_t> mode = ParseMode(texts.socket_mode);
    if (!mode) {
      return absl::InvalidArgumentError(absl::StrCat(
          settings.Where("socket-mode"), " '", texts.socket_mode,
          "' must be 0600, 0660 or 0666: the owner, the group too, "
          "or everybody may connect"));
    }
    access.mode = *mode;
  }
  if (group.empty()) return access;
  access.group = FindGroup(group);
  if (!access.group) {
    return absl::InvalidArgumentError(
        absl::StrCat(settings.Where("socket-group"), " '", group,
                     "' is no group of this host; name another or make it"));
  }
  if (access.mode == 0600) {
    return absl::InvalidArgumentError(absl::StrCat(
        settings.Where("socket-group"), " ", group,
        " may not connect with --socket-mode 0600; leave one of them out"));
  }
  return access;
}

// Returns the size that a setting names; 0: none.
absl::StatusOr<int64_t> ParseBytes(const Settings& settings,
                                   absl::string_view name,
                                   const std::string& text) {
  if (text.empty()) return 0;
  const std::optional<int64_t> bytes = session::ParseSize(text);
  if (!bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        settings.Where(name), " '", text, "' is not ", session::kSizeForms));
  }
  return *bytes;
}

// Parses the texts into the configuration, and says in them what was meant.
absl::Status ParseTexts(const Settings& settings, Texts& texts,
                        AgentConfig& config) {
  const absl::StatusOr<SocketAccess> access = ParseAccess(settings, texts);
  if (!access.ok()) return access.status();
  config.socket_access = *access;
  texts.socket_mode = absl::StrFormat("%04o", access->mode);
  texts.socket_group = GroupText(access->group);
  const absl::StatusOr<int64_t> total_bytes =
      ParseBytes(settings, "fast-total", texts.fast_total);
  if (!total_bytes.ok()) return total_bytes.status();
  config.fast_total_bytes = *total_bytes;
  const absl::StatusOr<int64_t> endurance_bytes =
      ParseBytes(settings, "slow-endurance", texts.slow_endurance);
  if (!endurance_bytes.ok()) return endurance_bytes.status();
  config.slow_endurance_bytes = *endurance_bytes;
  return absl::OkStatus();
}

absl::Status CheckService(const Settings& settings, const AgentConfig& config) {
  if (absl::Status named = CheckNamed(config.tls, "--tls-"); !named.ok()) {
    return named;
  }
  if (config.service.empty() || config.allow_plaintext || !config.tls.empty()) {
    return absl::OkStatus();
  }
  const std::string where = settings.Where("service");
  const absl::StatusOr<bool> stays = StaysOnHost(config.service);
  if (!stays.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": ", stays.status().message()));
  }
  if (*stays) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      where, " is ", config.service,
      ", on another host, and without certificates the agent speaks plain "
      "text: everybody on the way could read it and make plans of their own; "
      "name --tls-certificate, --tls-key and --tls-authorities, or force it "
      "with --allow-plaintext"));
}

// Plain HTTP would show the token to everybody on the way.
absl::Status CheckApi(const Settings& settings, absl::string_view url) {
  const std::string where = settings.Where("kubernetes-api");
  if (url.empty() || absl::StartsWith(url, "https://")) return absl::OkStatus();
  if (!absl::ConsumePrefix(&url, "http://")) {
    return absl::InvalidArgumentError(
        absl::StrCat(where, " '", url, "' is not like https://host:port"));
  }
  const absl::StatusOr<bool> stays = StaysOnHost(std::string(url));
  if (stays.ok() && *stays) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(where, " speaks plain HTTP with ", url,
                   ", which may be another host; name an https:// address"));
}

absl::Status CheckKubernetes(const Settings& settings,
                             const AgentConfig& config) {
  if (!config.kubernetes.is_on) return absl::OkStatus();
  if (config.fast_total_bytes == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        settings.Where("kubernetes"),
        " needs --fast-total: how much fast memory the node has for claims"));
  }
  return CheckApi(settings, config.kubernetes.api.url);
}

absl::Status Annotated(const Settings& settings, absl::string_view name,
                       const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(settings.Where(name), ": ",
                                                  status.message()));
}

absl::Status CheckValues(const Settings& settings, const AgentConfig& config) {
  if (absl::Status s = CheckService(settings, config); !s.ok()) return s;
  if (absl::Status s = CheckKubernetes(settings, config); !s.ok()) return s;
  if (!session::ParseLimit(config.job.fast)) {
    return absl::InvalidArgumentError(
        absl::StrCat(settings.Where("fast"), " '", config.job.fast, "' ",
                     session::WhyNoLimit(config.job.fast)));
  }
  const absl::StatusOr<TierSpec> fast = ParseTierSpec(config.fast_tier);
  if (!fast.ok()) return Annotated(settings, "fast-tier", fast.status());
  if (fast->kind != "dram") {
    return absl::InvalidArgumentError(absl::StrCat(settings.Where("fast-tier"),
                                                   " '", config.fast_tier,
                                                   "' must be dram or dram:N"));
  }
  if (config.node.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(settings.Where("node"), " is empty; name this host"));
  }
  return Annotated(settings, "slow", ParseTierSpec(config.job.slow).status());
}

}  // namespace

absl::StatusOr<AgentConfig> LoadConfig(int argc, char** argv) {
  AgentConfig config = Defaults();
  Texts texts;
  Settings settings(
      {.name = "stowage-agent",
       .summary = "The node agent owns the memory tiers of this host and moves "
                  "the tensors of training jobs between them.",
       .version = STOWAGE_VERSION,
       .variable_prefix = "STOWAGE_AGENT_",
       .owns_prefix = true});
  AddAll(settings, config, texts);
  if (absl::Status s = settings.Load(argc, argv); !s.ok()) return s;
  if (absl::Status s = ParseTexts(settings, texts, config); !s.ok()) return s;
  if (absl::Status s = CheckValues(settings, config); !s.ok()) return s;
  config.settings = settings.Values();
  config.kubernetes.node = config.node;
  const auto directory = std::filesystem::path(config.socket).parent_path();
  config.kubernetes.state_dir = directory / "claims";
  config.local_claims_dir = directory / session::kClaimsFolder;
  return config;
}

}  // namespace stowage::agent
