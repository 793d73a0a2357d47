// Reads the published profiles of G10 (MICRO'23): one training step on an A100
// with its kernel times, and their times with operands faulted in over PCIe.
//
//   absl::StatusOr<ImportedGraph> graph = ReadProfiledGraph(document);
//
// The document has these fields:
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

// Returns whether the document is such a profile.
bool IsProfiledGraph(const nlohmann::json& document);

// Returns the graph of a document, not validated. Durations become measured
// corners: duration_ns with everything fast, inputs_faulted with slow inputs,
// all_faulted with everything slow. The last two may be missing; the notes
// count how often. INVALID_ARGUMENT names the place.
absl::StatusOr<ImportedGraph> ReadProfiledGraph(const nlohmann::json& document);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_IMPORT_PROFILED_GRAPH_H_
