// Finds how many layers a migration interval may have, and which lengths are
// worth a closer look (Sentinel IV-D, equations 1 and 2).
//
//   IntervalLengths found =
//       FindIntervalLengths(graph, system, layers, kernel_ns, arena_bytes);
//
// Pure functions of a valid graph.
#ifndef STOWAGE_POLICIES_SENTINEL_INTERVAL_LENGTH_H_
#define STOWAGE_POLICIES_SENTINEL_INTERVAL_LENGTH_H_

#include <cstdint>
#include <vector>

#include "policies/intervals/interval_demand.h"
#include "policies/intervals/layers.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/cancellation.h"

namespace stowage::policies {

// Returns whether equation 1, Tensor(MIL) < S - RS(MIL), holds in every
// interval. `fast_bytes` is S.
bool SatisfiesSpaceConstraint(const std::vector<IntervalDemand>& demands,
                              int64_t fast_bytes);

// Returns equation 2, (S - RS(MIL)) / BW - T(MIL), summed over the step's
// intervals: the migration time that kernels do not hide, in ns. An interval
// that hides more than it migrates counts as 0, not as negative.
int64_t ExposedMigrationNs(const std::vector<IntervalDemand>& demands,
                           const MemorySystem& system, int64_t fast_bytes);

struct IntervalLengths {
  // Ascending by equation 2, the shortest first among equals; never empty.
  std::vector<LayerIndex> best;
  // Whether they satisfy equation 1. If no length does, the shortest stand in.
  bool satisfy_space = false;
};

IntervalLengths FindIntervalLengths(const Graph& graph,
                                    const MemorySystem& system,
                                    const Layers& layers,
                                    const std::vector<int64_t>& kernel_ns,
                                    int64_t fast_bytes,
                                    const Cancellation& cancellation = {});

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SENTINEL_INTERVAL_LENGTH_H_
