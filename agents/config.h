// The agent's configuration: flags, then STOWAGE_AGENT_* in the environment,
// then defaults.
//
//   absl::StatusOr<AgentConfig> config = LoadConfig(argc, argv);
#ifndef STOWAGE_AGENTS_CONFIG_H_
#define STOWAGE_AGENTS_CONFIG_H_

#include <string>

#include "absl/status/statusor.h"
#include "agents/jobs/hello.h"

namespace stowage::agent {

// docs/reference-agent.md says what each field is for.
struct AgentConfig {
  std::string socket;
  std::string service;
  std::string fast_tier = "dram";
  JobDefaults job;
  std::string report_dir;
  std::string graph_dir;
  std::string node;
  std::string ready_file;
  bool check_only = false;
};

// INVALID_ARGUMENT for unknown or malformed flags and variables; the message
// says which and what is accepted. --help and --version print and exit.
absl::StatusOr<AgentConfig> LoadConfig(int argc, char** argv);

// One "name: value" per line.
std::string ToString(const AgentConfig& config);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_CONFIG_H_
