#include "policies/intervals/interval_demand.h"

#include <algorithm>

#include "policies/model/kernel_cost.h"
#include "policies/planning/address_layout.h"

namespace stowage {
namespace {

// Whether kernel `k` uses the tensor in the interval that it is born in.
bool BornInSameInterval(const Tensor& tensor, KernelIndex k,
                        const Intervals& intervals) {
  return !tensor.persistent && tensor.birth_kernel <= k &&
         intervals.of_kernel[tensor.birth_kernel] == intervals.of_kernel[k];
}

void AddWantedBytes(const Graph& graph, const Layers& layers,
                    const Intervals& intervals,
                    std::vector<IntervalDemand>& demands) {
  std::vector<int32_t> counted(graph.tensors.size(), -1);  // last interval
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    const int32_t interval = intervals.of_kernel[k];
    for (const Operand& operand : graph.kernels[k].operands) {
      const Tensor& tensor = graph.tensors[operand.tensor];
      if (counted[operand.tensor] == interval || !tensor.movable()) continue;
      counted[operand.tensor] = interval;
      if (IsShortLived(tensor, layers)) continue;
      if (BornInSameInterval(tensor, k, intervals)) continue;
      demands[interval].wanted_bytes += RoundUpToPlacement(tensor.size_bytes);
    }
  }
}

}  // namespace

std::vector<IntervalDemand> MeasureIntervals(
    const Graph& graph, const Layers& layers, LayerIndex length,
    const std::vector<int64_t>& kernel_ns) {
  const Intervals intervals = DivideIntoIntervals(layers, length);
  const std::vector<int64_t> short_lived = ShortLivedBytes(graph, layers);
  std::vector<IntervalDemand> demands(intervals.count());
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    IntervalDemand& demand = demands[intervals.of_kernel[k]];
    demand.short_lived_bytes =
        std::max(demand.short_lived_bytes, short_lived[k]);
    demand.duration_ns += kernel_ns[k];
  }
  AddWantedBytes(graph, layers, intervals, demands);
  return demands;
}

std::vector<int64_t> AllFastKernelNs(const Graph& graph,
                                     const MemorySystem& system) {
  std::vector<int64_t> kernel_ns;
  for (const Kernel& kernel : graph.kernels) {
    kernel_ns.push_back(kernel.gap_ns + KernelDurationNs(graph, kernel, system,
                                                         [](TensorIndex) {
                                                           return kFastTier;
                                                         }));
  }
  return kernel_ns;
}

std::vector<int64_t> ShortLivedBytes(const Graph& graph, const Layers& layers) {
  std::vector<int64_t> bytes(graph.kernels.size());
  for (const Tensor& tensor : graph.tensors) {
    if (!IsShortLived(tensor, layers)) continue;
    for (KernelIndex k = tensor.birth_kernel; k <= tensor.death_kernel; ++k) {
      bytes[k] += RoundUpToPlacement(tensor.size_bytes);
    }
  }
  return bytes;
}

}  // namespace stowage
