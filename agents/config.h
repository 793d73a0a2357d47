// Reads the agent's configuration: flags, then STOWAGE_AGENT_* in the
// environment, then a configuration file, then defaults.
//
//   absl::StatusOr<AgentConfig> config = LoadConfig(argc, argv);
#ifndef STOWAGE_AGENTS_CONFIG_H_
#define STOWAGE_AGENTS_CONFIG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/jobs/admission/hello.h"
#include "agents/jobs/admission/socket_access.h"
#include "agents/kubernetes/kubernetes_options.h"
#include "daemon/setting_value.h"
#include "network/tls_files.h"

namespace stowage::agent {

// docs/reference-agent.md says what each field is for.
struct AgentConfig {
  std::string socket;
  SocketAccess socket_access;
  std::string service;
  TlsFiles tls;             // none: plain text
  std::string server_name;  // in the service's certificate; empty: its host
  bool allow_plaintext = false;  // also where others can read it
  std::string fast_tier = "dram";
  std::string system;  // file of a memory system; empty: tiers are measured
  JobDefaults job;
  int64_t fast_total_bytes = 0;        // for all jobs together; 0: no bound
  std::vector<std::string> slow_dirs;  // that jobs may name
  std::string report_dir;
  std::string graph_dir;
  std::string node;
  KubernetesOptions kubernetes;
  std::string local_claims_dir;
  std::string metrics_address;       // "host:port"; empty: no metrics
  int64_t slow_endurance_bytes = 0;  // 0: not stated
  std::string ready_file;
  bool keep_huge_pages = false;     // the host's setting for shared memory
  std::string log_format = "text";  // or "json"
  bool check_only = false;
  std::vector<SettingValue> settings;  // all of the above, and who set it
};

// Reads and checks the configuration. INVALID_ARGUMENT names what is unknown or
// malformed, who set it, and says what is accepted. --help and --version print
// and exit. Blocks on the file system, and on the resolver if the service is on
// a host with a name.
absl::StatusOr<AgentConfig> LoadConfig(int argc, char** argv);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_CONFIG_H_
