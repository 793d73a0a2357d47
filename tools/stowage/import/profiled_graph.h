// Reads the published profiles of G10 (MICRO'23): one training step on an A100
// with its kernel times, and their times with operands faulted in over PCIe.
//
//   {"name": ..., "tensors": [{"bytes", "persistent"}],
//    "kernels": [{"name", "layer", "inputs", "outputs", "duration_ns",
//                 "inputs_faulted_duration_ns", "all_faulted_duration_ns"}]}
#ifndef STOWAGE_TOOLS_STOWAGE_IMPORT_PROFILED_GRAPH_H_
#define STOWAGE_TOOLS_STOWAGE_IMPORT_PROFILED_GRAPH_H_

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "tools/stowage/import/imported_graph.h"

namespace stowage::cli {

bool IsProfiledGraph(const nlohmann::json& document);

// Durations become measured corners: duration_ns the one with everything fast,
// inputs_faulted the one with slow inputs, all_faulted the one with everything
// slow. Either of the latter may be missing; the notes count where. The graph
// is not validated. INVALID_ARGUMENT names the place.
absl::StatusOr<ImportedGraph> ReadProfiledGraph(const nlohmann::json& document);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_IMPORT_PROFILED_GRAPH_H_
