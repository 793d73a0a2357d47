// Loads the graphs that a private agent kept of profiled steps.
//
//   absl::StatusOr<policies::Graph> graph =
//       LoadCapturedGraph(graph_dir, run_id, /*number=*/0);
#ifndef STOWAGE_TOOLS_STOWAGE_GRAPHS_CAPTURED_GRAPHS_H_
#define STOWAGE_TOOLS_STOWAGE_GRAPHS_CAPTURED_GRAPHS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "policies/model/graph.h"

namespace stowage::cli {

// Returns the graph of the `number`th kind of step, from 1, that a job of the
// run profiled; 0 is the last one. FAILED_PRECONDITION: no step was profiled.
// INVALID_ARGUMENT: `number` does not exist; the message lists what there is.
absl::StatusOr<policies::Graph> LoadCapturedGraph(const std::string& graph_dir,
                                                  const std::string& run_id,
                                                  int number);

// Returns the graphs of all kinds of step that jobs of the run profiled, the
// last one first. FAILED_PRECONDITION: no step was profiled.
absl::StatusOr<std::vector<policies::Graph>> LoadCapturedGraphs(
    const std::string& graph_dir, const std::string& run_id);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_GRAPHS_CAPTURED_GRAPHS_H_
