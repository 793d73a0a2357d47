#include "agents/config.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "agents/tiers/tier_spec.h"
#include "client_sdk/session/size_spec.h"

namespace stowage::agent {
namespace {

constexpr char kPrefix[] = "STOWAGE_AGENT_";

std::string DefaultSocket() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime == nullptr || *runtime == '\0') return "/run/stowage/agent.sock";
  return absl::StrCat(runtime, "/stowage/agent.sock");
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

// "report-dir" -> "STOWAGE_AGENT_REPORT_DIR".
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

void AddOptions(CLI::App& app, AgentConfig& config) {
  AddOption(app, "socket", config.socket, "Unix socket that jobs connect to");
  AddOption(app, "service", config.service,
            "Address of the placement service, host:port or unix:/path; empty: "
            "none, jobs stay in demand mode");
  AddOption(app, "fast-tier", config.fast_tier,
            "Fast tier: dram, or dram:N for NUMA node N");
  AddOption(app, "fast", config.job.fast,
            "Limit on fast memory of jobs that ask for none: 900MiB, 40%, "
            "unlimited");
  AddOption(app, "slow", config.job.slow,
            "Slow tier of jobs that ask for none: file:DIR, pmem:DIR, numa:N, "
            "emulated:NAME");
  AddOption(app, "policy", config.job.policy,
            "Policy of jobs that ask for none; empty: the service's default");
  AddOption(app, "report-dir", config.report_dir,
            "Directory for the jobs' reports; empty: none");
  AddOption(app, "graph-dir", config.graph_dir,
            "Directory for the profiled graphs; empty: none");
  AddOption(app, "node", config.node, "Name of this node");
  AddOption(app, "ready-file", config.ready_file,
            "File that is made when the agent listens");
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
          "; unset it, --help lists the flags and with them the variables"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckValues(const AgentConfig& config) {
  if (!session::ParseLimit(config.job.fast)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--fast '", config.job.fast, "' is not ", session::kLimitForms));
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
      "The node agent: owns the memory tiers of this host, moves the "
      "tensors of training jobs between them.");
  AddOptions(app, config);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& printed) {
    std::exit(app.exit(printed));
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(error.what(), "; --help lists the flags"));
  }
  if (absl::Status s = CheckEnvironment(app); !s.ok()) return s;
  if (absl::Status s = CheckValues(config); !s.ok()) return s;
  return config;
}

std::string ToString(const AgentConfig& config) {
  return absl::StrCat(
      "socket: ", config.socket, "\nservice: ", config.service,
      "\nfast-tier: ", config.fast_tier, "\nfast: ", config.job.fast,
      "\nslow: ", config.job.slow, "\npolicy: ", config.job.policy,
      "\nreport-dir: ", config.report_dir, "\ngraph-dir: ", config.graph_dir,
      "\nnode: ", config.node, "\nready-file: ", config.ready_file, "\n");
}

}  // namespace stowage::agent
