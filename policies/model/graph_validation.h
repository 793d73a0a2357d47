// Checks a graph that came from outside, after its lifetimes are known.
// GraphFromProto calls this; call it yourself for graphs that code builds.
//
//   absl::Status status = ValidateGraph(graph);
#ifndef STOWAGE_POLICIES_MODEL_GRAPH_VALIDATION_H_
#define STOWAGE_POLICIES_MODEL_GRAPH_VALIDATION_H_

#include "absl/status/status.h"
#include "policies/model/graph.h"

namespace stowage::policies {

// Returns INVALID_ARGUMENT, which names the field, its value and the remedy, if
// the graph is not valid.
absl::Status ValidateGraph(const Graph& graph);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_GRAPH_VALIDATION_H_
