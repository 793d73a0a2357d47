// The graphs that a private agent kept of the steps it profiled.
//
//   absl::StatusOr<policies::Graph> graph = LoadCapturedGraph(graph_dir, run_id, 0);
#ifndef STOWAGE_TOOLS_STOWAGE_GRAPHS_CAPTURED_GRAPHS_H_
#define STOWAGE_TOOLS_STOWAGE_GRAPHS_CAPTURED_GRAPHS_H_

#include <string>

#include "absl/status/statusor.h"
#include "policies/model/graph.h"

namespace stowage::cli {

// The `number`th kind of step that a job of the run had profiled, from 1; 0 is
// the last one. FAILED_PRECONDITION when no step was profiled,
// INVALID_ARGUMENT lists what there is when `number` does not exist.
absl::StatusOr<policies::Graph> LoadCapturedGraph(const std::string& graph_dir,
                                                  const std::string& run_id,
                                                  int number);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_GRAPHS_CAPTURED_GRAPHS_H_
