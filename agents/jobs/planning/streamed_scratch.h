// Lets the scratch of kernels that do not fit stream.
//
//   std::optional<v1::Graph> streamed = StreamScratch(graph, limit_bytes);
//   if (streamed.has_value()) query.graph = *std::move(streamed);
//
// Planners keep scratch in fast memory, since most of it is small and every
// byte of it is used. Where a limit has no room for that, the job itself can do
// without: in demand mode such scratch streams.
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_STREAMED_SCRATCH_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_STREAMED_SCRATCH_H_

#include <cstdint>
#include <optional>

#include "stowage/v1/graph.pb.h"

namespace stowage::agent {

// Returns the graph with other scratch: that of each kernel whose tensors
// together exceed `fast_limit_bytes` is an activation that the kernel writes
// and reads, so that planners may stream it. Tensors keep their indices.
// nullopt if no such kernel has scratch. Pure.
std::optional<v1::Graph> StreamScratch(const v1::Graph& graph,
                                       int64_t fast_limit_bytes);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_STREAMED_SCRATCH_H_
