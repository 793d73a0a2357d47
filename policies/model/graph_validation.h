// Checks of a graph that came from outside, after its lifetimes are known.
// GraphFromProto calls this; call it yourself for graphs that are built in
// code.
//
//   absl::Status status = ValidateGraph(graph);
#ifndef STOWAGE_POLICIES_MODEL_GRAPH_VALIDATION_H_
#define STOWAGE_POLICIES_MODEL_GRAPH_VALIDATION_H_

#include "absl/status/status.h"
#include "policies/model/graph.h"

namespace stowage::policies {

// INVALID_ARGUMENT names the field, its value and the remedy.
absl::Status ValidateGraph(const Graph& graph);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_GRAPH_VALIDATION_H_
