#include "agents/config.h"

#include <grp.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "agents/tiers/tier_spec.h"
#include "client_sdk/session/size_spec.h"
#include "network/loopback.h"

namespace stowage::agent {
namespace {

constexpr char kPrefix[] = "STOWAGE_AGENT_";

std::string DefaultSocket() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime == nullptr || *runtime == '\0') return "/run/stowage/agent.sock";
  return absl::StrCat(runtime, "/stowage/agent.sock");
}

// Flags as the user gave them, that have yet to be parsed.
struct TextFlags {
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

// Returns the variable of a flag: "report-dir" -> "STOWAGE_AGENT_REPORT_DIR".
std::string VariableOf(const std::string& flag) {
  return absl::StrCat(
      kPrefix, absl::AsciiStrToUpper(absl::StrReplaceAll(flag, {{"-", "_"}})));
}

void AddOption(CLI::App& app, const std::string& name, std::string& value,
               const std::string& help) {
  app.add_option("--" + name, value, help)
      ->capture_default_str()
      ->envname(VariableOf(name));
}

void AddOptions(CLI::App& app, AgentConfig& config, TextFlags& texts) {
  AddOption(app, "socket", config.socket, "Unix socket that jobs connect to");
  AddOption(app, "socket-mode", texts.socket_mode,
            "Mode of the socket, which says who may connect: 0600, 0660 or "
            "0666; empty: 0660 with --socket-group, else 0600");
  AddOption(app, "socket-group", texts.socket_group,
            "Group of the socket, a name or a number; empty: the agent's");
  AddOption(app, "service", config.service,
            "Address of the placement service, host:port or unix:/path, or "
            "several of its replicas, separated by commas; empty: none, and "
            "jobs stay in demand mode");
  AddOption(app, "tls-certificate", config.tls.certificate,
            "PEM file of this agent's certificate, for mutual TLS with the "
            "service; empty: plain text");
  AddOption(app, "tls-key", config.tls.key, "PEM file of its private key");
  AddOption(app, "tls-authorities", config.tls.authorities,
            "PEM file of the authorities that issue the service's certificate");
  AddOption(app, "server-name", config.server_name,
            "DNS name that the service's certificate must have; empty: the "
            "host of --service");
  app.add_flag("--allow-plaintext", config.allow_plaintext,
               "Talk to a service on another host in plain text, which "
               "everybody on the way can read and write")
      ->envname(VariableOf("allow-plaintext"));
  AddOption(app, "fast-tier", config.fast_tier,
            "Fast tier: dram, or dram:N for NUMA node N");
  AddOption(app, "system", config.system,
            "File of a memory system, which stowage calibrate wrote, for jobs "
            "on its tiers; empty: the agent measures them");
  AddOption(app, "fast", config.job.fast,
            "Limit on fast memory of jobs that ask for none: 900MiB, 40% or "
            "0.4, auto, "
            "unlimited");
  AddOption(app, "fast-total", texts.fast_total,
            "Fast memory for all jobs together, of which each is sure of its "
            "floor: 8GiB; empty: no bound");
  AddOption(app, "slow", config.job.slow,
            "Slow tier of jobs that ask for none: file:DIR, pmem:DIR, numa:N, "
            "emulated:NAME");
  app.add_option(
         "--slow-dir", config.slow_dirs,
         "Directory that jobs may name as a slow tier, like those below "
         "it, if their user may make files there; separate several by "
         "':'; every job may name the directory of --slow")
      ->delimiter(':')
      ->envname(VariableOf("slow-dir"));
  AddOption(app, "policy", config.job.policy,
            "Policy of jobs that ask for none; empty: the service's default");
  AddOption(app, "report-dir", config.report_dir,
            "Directory for the jobs' reports; empty: none");
  AddOption(app, "graph-dir", config.graph_dir,
            "Directory for the profiled graphs; empty: none");
  AddOption(app, "node", config.node, "Name of this node");
  AddOption(
      app, "metrics-address", config.metrics_address,
      "HTTP address of Prometheus metrics and of health, host:port; empty: "
      "none");
  AddOption(
      app, "slow-endurance", texts.slow_endurance,
      "Bytes that the device of --slow may be written in its life, as its "
      "vendor states them: 600TB; a metric beside those written");
  AddOption(app, "ready-file", config.ready_file,
            "File that is made when the agent listens, with the address of its "
            "metrics");
  app.add_flag("--keep-huge-pages", config.keep_huge_pages,
               "Leave the host's setting of huge pages for shared memory as it "
               "is, also where it says never")
      ->envname(VariableOf("keep-huge-pages"));
  app.add_flag("--check-config", config.check_only,
               "Check the configuration, print it and exit");
  app.set_version_flag("--version", "stowage-agent " STOWAGE_VERSION);
}

absl::Status CheckEnvironment(const CLI::App& app) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string name(*entry, strcspn(*entry, "="));
    if (!absl::StartsWith(name, kPrefix)) continue;
    bool known = false;
    for (const CLI::Option* option : app.get_options()) {
      known = known || option->get_envname() == name;
    }
    if (!known) {
      return absl::InvalidArgumentError(absl::StrCat(
          "unknown environment variable ", name,
          "; unset it; --help lists the flags and their variables"));
    }
  }
  return absl::OkStatus();
}

std::string GroupText(const std::optional<gid_t>& group) {
  return group ? absl::StrCat(*group) : "";
}

absl::StatusOr<SocketAccess> ParseAccess(const TextFlags& flags) {
  const std::string& group = flags.socket_group;
  SocketAccess access{.mode = group.empty() ? 0600u : 0660u};
  if (!flags.socket_mode.empty()) {
    const std::optional<mode_t> mode = ParseMode(flags.socket_mode);
    if (!mode) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--socket-mode '", flags.socket_mode,
          "' must be 0600, 0660 or 0666: the owner, the group too, "
          "or everybody may connect"));
    }
    access.mode = *mode;
  }
  if (group.empty()) return access;
  access.group = FindGroup(group);
  if (!access.group) {
    return absl::InvalidArgumentError(
        absl::StrCat("--socket-group '", group,
                     "' is no group of this host; name another or make it"));
  }
  if (access.mode == 0600) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--socket-group ", group,
        " may not connect with --socket-mode 0600; leave one of them out"));
  }
  return access;
}

// Returns the size that a flag names; 0: none.
absl::StatusOr<int64_t> ParseBytes(absl::string_view flag,
                                   const std::string& text) {
  if (text.empty()) return 0;
  const std::optional<int64_t> bytes = session::ParseSize(text);
  if (!bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, " '", text, "' is not ", session::kSizeForms));
  }
  return *bytes;
}

absl::Status CheckService(const AgentConfig& config) {
  if (absl::Status named = CheckNamed(config.tls, "--tls-"); !named.ok()) {
    return named;
  }
  if (config.service.empty() || config.allow_plaintext || !config.tls.empty()) {
    return absl::OkStatus();
  }
  const absl::StatusOr<bool> stays = StaysOnHost(config.service);
  if (!stays.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--service: ", stays.status().message()));
  }
  if (*stays) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--service is ", config.service,
      ", on another host, and without certificates the agent speaks plain "
      "text: everybody on the way could read it and make plans of their own; "
      "name --tls-certificate, --tls-key and --tls-authorities, or force it "
      "with --allow-plaintext"));
}

absl::Status CheckValues(const AgentConfig& config) {
  if (absl::Status s = CheckService(config); !s.ok()) return s;
  if (!session::ParseLimit(config.job.fast)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--fast '", config.job.fast, "' ",
                     session::WhyNoLimit(config.job.fast)));
  }
  const absl::StatusOr<TierSpec> fast = ParseTierSpec(config.fast_tier);
  if (!fast.ok()) return fast.status();
  if (fast->kind != "dram") {
    return absl::InvalidArgumentError(absl::StrCat(
        "--fast-tier '", config.fast_tier, "' must be dram or dram:N"));
  }
  if (config.node.empty()) {
    return absl::InvalidArgumentError("--node is empty; name this host");
  }
  return ParseTierSpec(config.job.slow).status();
}

}  // namespace

absl::StatusOr<AgentConfig> LoadConfig(int argc, char** argv) {
  AgentConfig config = Defaults();
  CLI::App app(
      "The node agent owns the memory tiers of this host and moves the tensors "
      "of training jobs between them.");
  TextFlags texts;
  AddOptions(app, config, texts);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& printed) {
    std::exit(app.exit(printed));
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(error.what(), "; --help lists the flags"));
  }
  if (absl::Status s = CheckEnvironment(app); !s.ok()) return s;
  const absl::StatusOr<SocketAccess> access = ParseAccess(texts);
  if (!access.ok()) return access.status();
  config.socket_access = *access;
  const absl::StatusOr<int64_t> total_bytes =
      ParseBytes("--fast-total", texts.fast_total);
  if (!total_bytes.ok()) return total_bytes.status();
  config.fast_total_bytes = *total_bytes;
  const absl::StatusOr<int64_t> endurance_bytes =
      ParseBytes("--slow-endurance", texts.slow_endurance);
  if (!endurance_bytes.ok()) return endurance_bytes.status();
  config.slow_endurance_bytes = *endurance_bytes;
  if (absl::Status s = CheckValues(config); !s.ok()) return s;
  return config;
}

std::string ToString(const AgentConfig& config) {
  return absl::StrCat(
      "socket: ", config.socket,
      "\nsocket-mode: ", absl::StrFormat("%04o", config.socket_access.mode),
      "\nsocket-group: ", GroupText(config.socket_access.group),
      "\nservice: ", config.service,
      "\ntls-certificate: ", config.tls.certificate,
      "\ntls-key: ", config.tls.key,
      "\ntls-authorities: ", config.tls.authorities,
      "\nserver-name: ", config.server_name,
      "\nallow-plaintext: ", config.allow_plaintext ? "true" : "false",
      "\nfast-tier: ", config.fast_tier, "\nsystem: ", config.system,
      "\nfast: ", config.job.fast, "\nfast-total: ", config.fast_total_bytes,
      "\nslow: ", config.job.slow,
      "\nslow-dir: ", absl::StrJoin(config.slow_dirs, ":"),
      "\npolicy: ", config.job.policy, "\nreport-dir: ", config.report_dir,
      "\ngraph-dir: ", config.graph_dir, "\nnode: ", config.node,
      "\nmetrics-address: ", config.metrics_address,
      "\nslow-endurance: ", config.slow_endurance_bytes,
      "\nready-file: ", config.ready_file,
      "\nkeep-huge-pages: ", config.keep_huge_pages ? "true" : "false", "\n");
}

}  // namespace stowage::agent
