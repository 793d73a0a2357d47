// Configures stowaged: flags, then STOWAGE_* of the environment, then a
// configuration file, then defaults.
//
//   absl::StatusOr<ServerConfig> config = LoadConfig(argc, argv);
//   // --metrics-address=, STOWAGE_METRICS_ADDRESS=, metrics-address = ""
#ifndef STOWAGE_SERVER_RUNTIME_CONFIG_H_
#define STOWAGE_SERVER_RUNTIME_CONFIG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "daemon/setting_value.h"
#include "network/tls_files.h"
#include "server/access/access.h"
#include "server/placement/planning_queue.h"
#include "server/retention/retention.h"
#include "server/runtime/drain_times.h"

namespace stowage {

// Plain data.
struct ServerConfig {
  std::string listen = "127.0.0.1:7420";  // "host:port" or "unix:/path"
  bool allow_plaintext = false;           // also where others can read it
  TlsFiles tls;                           // none: plain text
  std::string trust_domain = "stowage";   // of SPIFFE IDs
  std::vector<std::string> roles;  // of DNS names; see server/access/roles.h
  AccessLimits limits;
  std::string metrics_address = "127.0.0.1:9464";  // empty: no metrics
  std::string extender_address;  // for a Kubernetes scheduler; empty: none
  std::string db;                // a path, ":memory:" or a URL
  RetentionBounds retention;
  std::string port_file;  // empty: none
  bool reflection = true;
  absl::Duration heartbeat_interval = absl::Seconds(5);  // >= 1 ms
  absl::Duration grace_period;  // from SIGTERM to the kill; 0: not known
  DrainTimes drain;
  PlanningLimits planning;
  int training_cores = 1;              // trainings at a time; 0: none at all
  double drift_threshold = 0.2;        // a share; 0: never retrain
  int training_nice = 19;              // 0..19
  std::string trainer;                 // stowage-trainer's path; empty: beside
                                       // this program
  std::string log_format = "text";     // or "json"
  bool check_only = false;             // report the configuration and exit
  std::vector<SettingValue> settings;  // all of the above, and who set it
};

// Reads and checks the configuration. Makes the state directory if the database
// is the default one. INVALID_ARGUMENT names the setting, who set it, its value
// and the remedy. --help and --version print and exit. Blocks on the file
// system, and on the resolver if an address has a name.
absl::StatusOr<ServerConfig> LoadConfig(int argc, char** argv);

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_CONFIG_H_
