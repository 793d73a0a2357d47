// Lets the scratch of kernels that do not fit stream.
//
//   std::optional<v1::Graph> streamed =
//       StreamScratch(graph, limit_bytes, Scratch::kIfBetter);
//   if (streamed.has_value()) query.graph = *std::move(streamed);
//
// Planners keep scratch in fast memory, since most of it is small and every
// byte of it is used. In demand mode scratch that does not fit streams, while the
// operands stay: a product of a sparse matrix reads these in any order, and its
// scratch once. Where that was measured, plans may do the same; and where a limit
// has no room for the scratch, they must.
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_STREAMED_SCRATCH_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_STREAMED_SCRATCH_H_

#include <cstdint>
#include <optional>

#include "stowage/v1/graph.pb.h"

namespace stowage::agent {

enum class Scratch {
  kIfBetter,  // as it was when measured, or likely since others would jump about
  kAll,
};

// Returns the graph with other scratch: that of each kernel whose tensors
// together exceed `fast_limit_bytes` is an activation that the kernel writes
// and reads, so that planners may stream it. Tensors keep their indices.
// nullopt if no such kernel has such scratch. Pure.
std::optional<v1::Graph> StreamScratch(const v1::Graph& graph,
                                       int64_t fast_limit_bytes, Scratch which);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_STREAMED_SCRATCH_H_
