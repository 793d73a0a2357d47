// Configures stowaged: flags, then STOWAGE_* of the environment, then defaults.
//
//   absl::StatusOr<ServerConfig> config = LoadConfig(argc, argv);
//   // --metrics-address=, STOWAGE_METRICS_ADDRESS=, default 127.0.0.1:9464
#ifndef STOWAGE_SERVER_RUNTIME_CONFIG_H_
#define STOWAGE_SERVER_RUNTIME_CONFIG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "network/tls_files.h"
#include "server/placement/planning_queue.h"
#include "server/retention/retention.h"

namespace stowage {

// Plain data.
struct ServerConfig {
  std::string listen;              // "host:port" or "unix:/path"
  bool allow_plaintext = false;    // also where others can read it
  TlsFiles tls;                    // none: plain text
  std::string trust_domain;        // of SPIFFE IDs
  std::vector<std::string> roles;  // of DNS names; see server/access/roles.h
  std::string metrics_address;     // "host:port"; empty: no metrics
  std::string db;                  // a path, ":memory:" or a URL
  std::string port_file;           // empty: none
  RetentionBounds retention;
  bool reflection = true;
  absl::Duration heartbeat_interval;  // >= 1 ms
  absl::Duration drain_timeout;       // >= 0
  PlanningLimits planning;
  int training_cores = 1;        // trainings at a time; 0: none at all
  double drift_threshold = 0.2;  // a share; 0: never retrain
  int training_nice = 19;        // 0..19
  std::string trainer;           // stowage-trainer's path; empty: beside
                                 // this program
  bool check_only = false;       // report the configuration and exit
};

// Prints the flags on standard output if the command line asks for help.
// Returns whether it did.
bool PrintedHelp(int argc, char** argv);

// Reads and checks the configuration. Makes the state directory if the database
// is the default one. INVALID_ARGUMENT names the flag, its value and the
// remedy. An unknown flag ends the process with status 1, --version with 0, as
// Abseil does. Call it once, before other threads start.
absl::StatusOr<ServerConfig> LoadConfig(int argc, char** argv);

// Returns the configuration as lines of "--flag=value".
std::string ToString(const ServerConfig& config);

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_CONFIG_H_
