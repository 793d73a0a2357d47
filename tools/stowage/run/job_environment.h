// Makes the environment in which every training process of a command is a job.
//
//   std::vector<std::string> environment =
//       JobEnvironment(CurrentEnvironment(), installation, request, wiring);
#ifndef STOWAGE_TOOLS_STOWAGE_RUN_JOB_ENVIRONMENT_H_
#define STOWAGE_TOOLS_STOWAGE_RUN_JOB_ENVIRONMENT_H_

#include <string>
#include <vector>

#include "tools/stowage/process/installation.h"
#include "tools/stowage/run/run_request.h"

namespace stowage::cli {

// How the processes of one run find the agent and each other's reports.
struct JobWiring {
  std::string run_id;
  std::string agent_socket;
  std::string report_dir;
};

// Returns `base` ("NAME=value") with Stowage's variables set. An LD_PRELOAD of
// the user keeps its entries, behind Stowage's.
std::vector<std::string> JobEnvironment(const std::vector<std::string>& base,
                                        const Installation& installation,
                                        const RunRequest& request,
                                        const JobWiring& wiring);

// Returns a value for LD_PRELOAD with `library` in front of the entries that the
// user has, but for those that must come first. One in which it stands already
// stays as it is.
std::string WithPreload(const std::string& library, const std::string& present);

// Returns the environment of this process.
std::vector<std::string> CurrentEnvironment();

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_RUN_JOB_ENVIRONMENT_H_
