// Makes a graph of one iteration of an execution trace.
//
//   absl::StatusOr<ImportedGraph> graph = ImportTrace(trace, {.iteration = 1});
//
// docs/reference-graph-import.md states the rules.
#ifndef STOWAGE_TOOLS_STOWAGE_IMPORT_TRACE_GRAPH_H_
#define STOWAGE_TOOLS_STOWAGE_IMPORT_TRACE_GRAPH_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/stowage/import/imported_graph.h"
#include "tools/stowage/import/trace_node.h"

namespace stowage::cli {

struct TraceImportOptions {
  std::string name;    // of the graph
  int iteration = -1;  // from 0; -1: the last complete one
};

// Returns the graph, not validated. INVALID_ARGUMENT: the iteration does not
// exist or has no kernel.
absl::StatusOr<ImportedGraph> ImportTrace(const ExecutionTrace& trace,
                                          const TraceImportOptions& options);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_IMPORT_TRACE_GRAPH_H_
