// Finds the best step time with synchronous moves by trying everything: a
// dynamic program over the set of fast tensors at every kernel. Unlike AutoTM's
// networks it lets every tensor move at every boundary.
//
//   double best_ns = BestSynchronousNs(graph, system, arena_bytes, true);
#ifndef STOWAGE_TESTS_UNIT_POLICIES_AUTOTM_EXHAUSTIVE_H_
#define STOWAGE_TESTS_UNIT_POLICIES_AUTOTM_EXHAUSTIVE_H_

#include <cstdint>

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

// Returns the best time of a graph of up to 6 tensors besides workspaces.
// Kernels run in the best of the implementations whose workspace fits. With
// `write_back_once`, a tensor that was fetched in the step and not written
// since leaves for free.
double BestSynchronousNs(const Graph& graph, const MemorySystem& system,
                         int64_t arena_bytes, bool write_back_once);

// Returns the best step time if no tensor ever moves.
double BestStaticNs(const Graph& graph, const MemorySystem& system,
                    int64_t arena_bytes);

// Returns a graph of `kernels` kernels and 3 to 6 tensors, some of them
// persistent or wrapping, some kernels with measured corners that are not
// additive.
Graph TinyGraph(uint64_t seed, int kernels);

}  // namespace stowage::policies

#endif  // STOWAGE_TESTS_UNIT_POLICIES_AUTOTM_EXHAUSTIVE_H_
