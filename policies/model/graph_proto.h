// Converts graphs from and to protos. Protos are untrusted input: everything
// read from one is checked before it is used.
//
//   absl::StatusOr<Graph> graph = GraphFromProto(proto);
//   if (!graph.ok()) std::cerr << graph.status();
//   // kernels[17].operands[2].tensor is 99, but the graph has 40 tensors
#ifndef STOWAGE_POLICIES_MODEL_GRAPH_PROTO_H_
#define STOWAGE_POLICIES_MODEL_GRAPH_PROTO_H_

#include <string>

#include "absl/status/statusor.h"
#include "policies/model/graph.h"
#include "stowage/v1/graph.pb.h"

namespace stowage::policies {

// Validates and converts `proto`. It derives absent births and deaths from the
// first and the last use, and merges repeated operands of a kernel.
// INVALID_ARGUMENT names the field, its value and the remedy;
// RESOURCE_EXHAUSTED means more than 1,000,000 kernels or tensors.
absl::StatusOr<Graph> GraphFromProto(const v1::Graph& proto);

v1::Graph GraphToProto(const Graph& graph);

// Returns the hex SHA-256 of the graph's structure: names of kernels, operands,
// sizes and lifetimes. Durations do not count, so that the next run of the same
// script finds its plan.
std::string GraphId(const Graph& graph);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_GRAPH_PROTO_H_
