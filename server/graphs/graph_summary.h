// Summarises a graph for lists of graphs.
//
//   v1::GraphSummary summary = Summarize(graph);
//   absl::StatusOr<bool> created = store->PutGraph(summary, proto, request_id);
#ifndef STOWAGE_SERVER_GRAPHS_GRAPH_SUMMARY_H_
#define STOWAGE_SERVER_GRAPHS_GRAPH_SUMMARY_H_

#include "policies/model/graph.h"
#include "stowage/v1/graphs.pb.h"

namespace stowage {

// Returns the summary of a valid graph, with this moment as its last update.
v1::GraphSummary Summarize(const policies::Graph& graph);

}  // namespace stowage

#endif  // STOWAGE_SERVER_GRAPHS_GRAPH_SUMMARY_H_
