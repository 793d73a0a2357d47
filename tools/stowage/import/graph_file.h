// Reads any file that holds a graph: Stowage's own, a profiled graph or an
// execution trace; plain, gzipped or in a tar archive.
//
//   absl::StatusOr<LoadedGraph> loaded = LoadGraph("resnet.json.gz", {});
#ifndef STOWAGE_TOOLS_STOWAGE_IMPORT_GRAPH_FILE_H_
#define STOWAGE_TOOLS_STOWAGE_IMPORT_GRAPH_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "policies/model/graph.h"

namespace stowage::cli {

struct GraphFileOptions {
  std::string member;  // of a tar archive; empty: its only file
  int iteration = -1;  // of a trace; -1: the last complete one
};

struct LoadedGraph {
  policies::Graph graph;  // valid
  std::string format;
  std::vector<std::string> notes;
};

// Returns the name of the graph in a file: "resnet50" for
// "graphs/resnet50.pb.gz".
std::string GraphNameFromPath(const std::string& path);

// Reads the graph in a file. Blocks on the disk. Errors begin with the path.
absl::StatusOr<LoadedGraph> LoadGraph(const std::string& path,
                                      const GraphFileOptions& options);

// Reads the graph in bytes that are neither gzipped nor packed. A graph without
// a name gets `name`.
absl::StatusOr<LoadedGraph> ParseGraphFile(absl::string_view bytes,
                                           const std::string& name,
                                           const GraphFileOptions& options);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_IMPORT_GRAPH_FILE_H_
