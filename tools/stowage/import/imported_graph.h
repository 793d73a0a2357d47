// Holds what an importer returns: a graph that is not yet validated, and notes
// on what the importer left out and why.
//
//   imported.graph.set_name(GraphNameFrom("my trace"));  // "my-trace"
#ifndef STOWAGE_TOOLS_STOWAGE_IMPORT_IMPORTED_GRAPH_H_
#define STOWAGE_TOOLS_STOWAGE_IMPORT_IMPORTED_GRAPH_H_

#include <string>
#include <vector>

#include "stowage/v1/graph.pb.h"

namespace stowage::cli {

struct ImportedGraph {
  v1::Graph graph;
  std::string format;              // "PyTorch execution trace, schema 1.0.1"
  std::vector<std::string> notes;  // "skipped 1422 views", ...
};

// Returns `name` with every character replaced that a graph's name may not
// have.
std::string GraphNameFrom(const std::string& name);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_IMPORT_IMPORTED_GRAPH_H_
