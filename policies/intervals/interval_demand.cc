#include "policies/intervals/interval_demand.h"

#include <algorithm>

#include "policies/model/kernel_cost.h"
#include "policies/planning/address_layout.h"

namespace stowage {
namespace {

// Adds what has to be fetched for each interval.
void AddFetchedBytes(const Graph& graph, const Layers& layers,
                     const Intervals& intervals,
                     std::vector<IntervalDemand>& demands) {
  const int32_t count = intervals.count();
  std::vector<bool> counted(graph.tensors.size());
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    counted[t] =
        graph.tensors[t].movable() && !IsShortLived(graph.tensors[t], layers);
  }
  // By tensor: the last interval that used it, over two turns of the step so
  // that the first interval follows the last one.
  std::vector<int32_t> used(graph.tensors.size(), -2);
  for (int32_t turn = 0; turn < 2; ++turn) {
    for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
      const int32_t interval = intervals.of_kernel[k];
      const int32_t now = turn * count + interval;
      for (const Operand& operand : graph.kernels[k].operands) {
        const TensorIndex t = operand.tensor;
        if (!counted[t]) continue;
        const Tensor& tensor = graph.tensors[t];
        const bool born_here =
            !tensor.persistent && tensor.birth_kernel <= k &&
            intervals.of_kernel[tensor.birth_kernel] == interval;
        if (turn == 1 && used[t] < now - 1 && !born_here) {
          demands[interval].fetched_bytes +=
              RoundUpToPlacement(tensor.size_bytes);
        }
        used[t] = now;
      }
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
  AddFetchedBytes(graph, layers, intervals, demands);
  return demands;
}

std::vector<int64_t> AllFastKernelNs(const Graph& graph,
                                     const MemorySystem& system) {
  std::vector<int64_t> kernel_ns;
  for (const Kernel& kernel : graph.kernels) {
    const KernelProfile profile = CompleteProfile(graph, kernel, system);
    kernel_ns.push_back(
        kernel.gap_ns +
        KernelDurationNs(graph, kernel, profile, system,
                         [](TensorIndex) { return kFastTier; }));
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
