// Holds what the user asks of `stowage run`.
//
//   absl::Status valid = CheckRunRequest({.fast = "40%", .command = command});
#ifndef STOWAGE_TOOLS_STOWAGE_RUN_RUN_REQUEST_H_
#define STOWAGE_TOOLS_STOWAGE_RUN_RUN_REQUEST_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace stowage::cli {

struct RunRequest {
  // "900MiB", "40%", "8GiB/host", "auto", "unlimited"
  std::string fast = "unlimited";
  std::string slowdown;          // that "auto" may cost: "10%"; may be empty
  std::string floor;             // of that, for sure; empty: the agent's rule
  std::string slow;              // "file:DIR", ...; empty: the agent's default
  std::string system_path;       // of a memory system; empty: it is measured
  bool checksums = false;        // of what is in a file
  std::string policy;            // empty: the default policy
  bool hints = false;            // of that policy, for steps off their plan
  std::string agent_socket;      // empty: a private agent
  std::string agent_report_dir;  // where a named agent leaves its reports
  std::string service_address;   // empty: a private service
  bool allow_plaintext = false;  // to a service on another host
  std::string report_path;       // empty: no report is written
  std::string plot_path;         // empty: no picture is drawn
  std::string step_log_path;     // "-": the command's output; empty: none
  bool lower_bound = false;      // is computed for the report
  bool json = false;
  // The command's standard output is standard error.
  bool prints_to_stderr = false;
  std::vector<std::string> command;
};

// Returns the limit as the agent reads it: "40%", "auto:10%".
std::string FastOf(const RunRequest& request);

// Checks a request. INVALID_ARGUMENT names the option, its value and what is
// accepted.
absl::Status CheckRunRequest(const RunRequest& request);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_RUN_RUN_REQUEST_H_
