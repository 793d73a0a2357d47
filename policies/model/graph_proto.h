// Graphs and their protos. Protos are untrusted input: everything read from
// one is checked before it is used.
//
//   absl::StatusOr<Graph> graph = GraphFromProto(proto);
//   if (!graph.ok()) std::cerr << graph.status();
//   // "kernels[17].operands[2].tensor is 99, but the graph has 40 tensors;
//   ..."
#ifndef STOWAGE_POLICIES_MODEL_GRAPH_PROTO_H_
#define STOWAGE_POLICIES_MODEL_GRAPH_PROTO_H_

#include <string>

#include "absl/status/statusor.h"
#include "policies/model/graph.h"
#include "stowage/v1/graph.pb.h"

namespace stowage::policies {

// Validates and converts. Absent births and deaths are derived from the first
// and the last use; repeated operands of a kernel are merged. INVALID_ARGUMENT
// names the field, its value and the remedy; RESOURCE_EXHAUSTED above
// 1,000,000 kernels or tensors.
absl::StatusOr<Graph> GraphFromProto(const v1::Graph& proto);

v1::Graph GraphToProto(const Graph& graph);

// Hex SHA-256 of the structure: names of kernels, operands, sizes and
// lifetimes. Durations do not count, so that the next run of the same script
// finds its plan.
std::string GraphId(const Graph& graph);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_GRAPH_PROTO_H_
