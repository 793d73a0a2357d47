// What intervals of a given length ask for: the terms of Sentinel's equations 1
// and 2 and of ReDL's constraints 4 and 5.
//
//   const IntervalMeter meter(graph, layers, kernel_ns);
//   for (const IntervalDemand& demand : meter.Measure(length)) ...
//
// Of a valid graph.
#ifndef STOWAGE_POLICIES_INTERVALS_INTERVAL_DEMAND_H_
#define STOWAGE_POLICIES_INTERVALS_INTERVAL_DEMAND_H_

#include <cstdint>
#include <vector>

#include "policies/intervals/layers.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

struct IntervalDemand {
  // Long-lived tensors that it uses and that are not born in it: what has to be
  // in the fast tier as it starts, fetched or there from before. Sentinel's
  // Tensor(MIL), the data of ReDL's p(I).
  int64_t wanted_bytes = 0;
  // Peak of the short-lived tensors: Sentinel's RS(MIL), ReDL's F(I).
  int64_t short_lived_bytes = 0;
  // Kernels and gaps with everything fast: Sentinel's T(MIL).
  int64_t duration_ns = 0;
};

// For several lengths. Keeps references to `layers` and `kernel_ns`; safe to
// use from several threads.
class IntervalMeter {
 public:
  IntervalMeter(const Graph& graph, const Layers& layers,
                const std::vector<int64_t>& kernel_ns);

  // By interval. Sizes are rounded up to kPlacementAlignmentBytes.
  std::vector<IntervalDemand> Measure(LayerIndex length) const;

 private:
  // Of a long-lived tensor that can be moved.
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

// By kernel: its gap and how long it runs with all operands fast.
std::vector<int64_t> AllFastKernelNs(const Graph& graph,
                                     const MemorySystem& system);

// Rounded bytes of the short-lived tensors, workspaces included, that are alive
// while each kernel runs.
std::vector<int64_t> ShortLivedBytes(const Graph& graph, const Layers& layers);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_INTERVALS_INTERVAL_DEMAND_H_
