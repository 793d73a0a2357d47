#include "policies/intervals/interval_demand.h"

#include <algorithm>

#include "policies/layout/address_layout.h"
#include "policies/model/kernel_cost.h"

namespace stowage::policies {
IntervalMeter::IntervalMeter(const Graph& graph, const Layers& layers,
                             const std::vector<int64_t>& kernel_ns)
    : layers_(layers),
      kernel_ns_(kernel_ns),
      short_lived_bytes_(ShortLivedBytes(graph, layers)) {
  for (const Tensor& tensor : graph.tensors) {
    births_.push_back(tensor.persistent ? -1 : tensor.birth_kernel);
  }
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    for (const Operand& operand : graph.kernels[k].operands) {
      const Tensor& tensor = graph.tensors[operand.tensor];
      if (!tensor.movable() || IsShortLived(tensor, layers)) continue;
      uses_.push_back(
          {k, operand.tensor, RoundUpToPlacement(tensor.size_bytes)});
    }
  }
}

std::vector<IntervalDemand> IntervalMeter::Measure(LayerIndex length) const {
  const Intervals intervals = DivideIntoIntervals(layers_, length);
  std::vector<IntervalDemand> demands(intervals.count());
  for (int32_t i = 0; i < intervals.count(); ++i) {
    IntervalDemand& demand = demands[i];
    const KernelIndex end = intervals.first_kernel[i + 1];
    for (KernelIndex k = intervals.first_kernel[i]; k < end; ++k) {
      demand.short_lived_bytes =
          std::max(demand.short_lived_bytes, short_lived_bytes_[k]);
      demand.duration_ns += kernel_ns_[k];
    }
  }
  std::vector<int32_t> counted(births_.size(), -1);  // the last interval
  for (const Use& use : uses_) {
    const int32_t interval = intervals.of_kernel[use.kernel];
    if (counted[use.tensor] == interval) continue;
    counted[use.tensor] = interval;
    const KernelIndex birth = births_[use.tensor];
    const bool born_in_it = 0 <= birth && birth <= use.kernel &&
                            intervals.of_kernel[birth] == interval;
    if (!born_in_it) demands[interval].wanted_bytes += use.bytes;
  }
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

}  // namespace stowage::policies
