// Scales durations that were measured on one machine to the processor of
// another.
//
//   if (NeedsRehosting(graph, system)) graph = Rehost(graph, system);
//
// A kernel keeps the share of its roofline that it reached where it was
// measured: with c = LaunchNs(graph),
//
//   share    = min(1, roofline(there) / (duration(there) - c))
//   duration = c + roofline(here) / share,
//   roofline = max(FLOPs / peak FLOP/s, bytes touched / bandwidth).
//
// Where a kernel's FLOPs are unknown, its bytes alone count. Kernels without
// work that counts stay as they are, and so does the host's time between
// kernels. Corners with slow operands belong to the other machine's memory, so
// they are left to be derived.
//
// Pure functions.
#ifndef STOWAGE_POLICIES_SCALING_REHOSTING_H_
#define STOWAGE_POLICIES_SCALING_REHOSTING_H_

#include <string_view>

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

// Returns the peak of the system's processor with the bandwidth of its first
// tier.
ProcessorPeak PeakOf(const MemorySystem& system);

// Returns whether the durations belong to another processor than the system's
// and can be scaled: both peaks are known, and so are the FLOPs of some kernel.
bool NeedsRehosting(const Graph& graph, const MemorySystem& system);

// Scales the durations of a graph that needs it. They are then marked rehosted,
// and the graph belongs to the system's processor.
Graph Rehost(Graph graph, const MemorySystem& system);

// Returns where most of the time of a step comes from: "measured", "rehosted"
// or "derived".
std::string_view DurationOrigin(const Graph& graph);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SCALING_REHOSTING_H_
