// Finds what a private agent kept of profiled steps, and loads their graphs.
//
//   absl::StatusOr<policies::Graph> graph =
//       LoadCapturedGraph(graph_dir, run_id, /*number=*/0);
#ifndef STOWAGE_TOOLS_STOWAGE_GRAPHS_CAPTURED_GRAPHS_H_
#define STOWAGE_TOOLS_STOWAGE_GRAPHS_CAPTURED_GRAPHS_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "policies/model/graph.h"

namespace stowage::cli {

// Returns the paths of the files that end with `ending` and belong to jobs of
// the run, the oldest first. The agent names files
// "<run id>-<pid>-<number>.graph.pb", and ".plan.pb" and ".system.pb" beside it
// where the step was planned. Blocks on the disk.
std::vector<std::string> CapturedFiles(const std::string& graph_dir,
                                       const std::string& run_id,
                                       const std::string& ending);

// Returns the processes whose steps were profiled in the run, each once.
std::vector<pid_t> CapturedJobs(const std::string& graph_dir,
                                const std::string& run_id);

// Returns the graph of the `number`th kind of step, from 1, that a job of the
// run profiled; 0 is the last one. FAILED_PRECONDITION: no step was profiled.
// INVALID_ARGUMENT: `number` does not exist; the message lists what there is.
absl::StatusOr<policies::Graph> LoadCapturedGraph(const std::string& graph_dir,
                                                  const std::string& run_id,
                                                  int number);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_GRAPHS_CAPTURED_GRAPHS_H_
