// What an importer gives: a graph that is still to be validated, and what it
// left out and why.
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

// `name` with every character that a graph's name may not have replaced.
std::string GraphNameFrom(const std::string& name);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_IMPORT_IMPORTED_GRAPH_H_
