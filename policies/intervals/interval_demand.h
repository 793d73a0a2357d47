// Measures what intervals of a given length ask for: the terms of Sentinel's
// equations 1 and 2 and of ReDL's constraints 4 and 5.
//
//   const IntervalMeter meter(graph, layers, kernel_ns);
//   std::vector<IntervalDemand> demands = meter.Measure(length);
//
// The graph must be valid.
#ifndef STOWAGE_POLICIES_INTERVALS_INTERVAL_DEMAND_H_
#define STOWAGE_POLICIES_INTERVALS_INTERVAL_DEMAND_H_

#include <cstdint>
#include <vector>

#include "policies/intervals/layers.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

struct IntervalDemand {
  // The bytes of the long-lived tensors that the interval uses and that are not
  // born in it. They have to be in the fast tier as it starts, fetched or there
  // from before. Sentinel's Tensor(MIL), the data of ReDL's p(I).
  int64_t wanted_bytes = 0;
  // The peak of the short-lived tensors: Sentinel's RS(MIL), ReDL's F(I).
  int64_t short_lived_bytes = 0;
  // The kernels and gaps with everything fast: Sentinel's T(MIL).
  int64_t duration_ns = 0;
};

// Measures several lengths. It keeps references to `layers` and `kernel_ns`,
// and several threads may use it.
class IntervalMeter {
 public:
  IntervalMeter(const Graph& graph, const Layers& layers,
                const std::vector<int64_t>& kernel_ns);

  // Returns the demand of each interval. Sizes are rounded up to
  // kPlacementAlignmentBytes.
  std::vector<IntervalDemand> Measure(LayerIndex length) const;

 private:
  // One use of a long-lived tensor that can be moved.
  struct Use {
    KernelIndex kernel = 0;
    TensorIndex tensor = 0;
    int64_t bytes = 0;
  };

  const Layers& layers_;
  const std::vector<int64_t>& kernel_ns_;
  const std::vector<int64_t> short_lived_bytes_;  // by kernel
  std::vector<KernelIndex> births_;               // by tensor; -1: persistent
  std::vector<Use> uses_;                         // by kernel
};

// Returns by kernel its gap and how long it runs with all operands fast, added.
std::vector<int64_t> AllFastKernelNs(const Graph& graph,
                                     const MemorySystem& system);

// Returns for each kernel the rounded bytes of the short-lived tensors,
// workspaces included, that are alive while it runs.
std::vector<int64_t> ShortLivedBytes(const Graph& graph, const Layers& layers);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_INTERVALS_INTERVAL_DEMAND_H_
