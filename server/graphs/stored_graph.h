// Loads a stored graph.
//
//   absl::StatusOr<policies::Graph> graph = LoadGraph(store.get(), graph_id);
#ifndef STOWAGE_SERVER_GRAPHS_STORED_GRAPH_H_
#define STOWAGE_SERVER_GRAPHS_STORED_GRAPH_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "policies/model/graph.h"
#include "server/graphs/graph_store.h"

namespace stowage {

// Returns the graph. Errors are those of the store; DATA_LOSS: it holds no
// valid graph.
absl::StatusOr<policies::Graph> LoadGraph(GraphStore* store,
                                          absl::string_view graph_id);

}  // namespace stowage

#endif  // STOWAGE_SERVER_GRAPHS_STORED_GRAPH_H_
