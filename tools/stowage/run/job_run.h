// Runs a command whose training processes become jobs, with the agent that the
// user names or a private one.
//
//   absl::StatusOr<JobRun> run = RunJob(request, installation, directory);
#ifndef STOWAGE_TOOLS_STOWAGE_RUN_JOB_RUN_H_
#define STOWAGE_TOOLS_STOWAGE_RUN_JOB_RUN_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/stowage/process/installation.h"
#include "tools/stowage/report/session_file.h"
#include "tools/stowage/run/planned_step.h"
#include "tools/stowage/run/run_request.h"

namespace stowage::cli {

// How the command ended and what its jobs left.
struct JobRun {
  std::string run_id;
  int exit_status = 0;  // the command's, or 126 or 127 as in a shell
  bool started = false;
  Sessions sessions;
  std::string graph_dir;  // of the private agent; empty: none
  // Set if the request asks for a picture or a lower bound.
  absl::StatusOr<PlannedStep> planned =
      absl::FailedPreconditionError("neither was asked for");
};

// Asked several times a second, with the directory of the private agent's
// graphs and the id of the run. Once it is true, the command and its jobs are
// asked to end.
using IsEnough = std::function<bool(const std::string& graph_dir,
                                    const std::string& run_id)>;

// Runs the command and blocks until it has ended. `directory` is private and
// must outlive what is read from the result. UNAVAILABLE: the agent or the
// service does not start.
absl::StatusOr<JobRun> RunJob(const RunRequest& request,
                              const Installation& installation,
                              const std::string& directory,
                              const IsEnough& is_enough = {});

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_RUN_JOB_RUN_H_
