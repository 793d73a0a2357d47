#include "server/graphs/stored_graph.h"

#include "absl/strings/str_cat.h"
#include "policies/model/graph_proto.h"

namespace stowage {

absl::StatusOr<policies::Graph> LoadGraph(GraphStore* store,
                                          absl::string_view graph_id) {
  absl::StatusOr<v1::Graph> proto = store->GetGraph(graph_id);
  if (!proto.ok()) return proto.status();
  absl::StatusOr<policies::Graph> graph = policies::GraphFromProto(*proto);
  if (graph.ok()) return graph;
  // Only valid graphs are stored.
  return absl::DataLossError(absl::StrCat(
      "the stored graph '", graph_id,
      "' is damaged: ", graph.status().message(), "; register it again"));
}

}  // namespace stowage
