#include "policies/model/liveness.h"

#include <algorithm>

namespace stowage {

Liveness ComputeLiveness(const Graph& graph) {
  // Differences between consecutive kernels first, then their running sum.
  std::vector<int64_t> change(graph.kernels.size() + 1, 0);
  for (const Tensor& tensor : graph.tensors) {
    if (tensor.alive_at_start()) change[0] += tensor.size_bytes;
    if (tensor.persistent) continue;
    change[tensor.birth_kernel] += tensor.size_bytes;
    change[tensor.death_kernel + 1] -= tensor.size_bytes;
  }
  Liveness liveness;
  int64_t bytes = graph.unmanaged_peak_bytes;
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    bytes += change[k];
    liveness.live_bytes.push_back(bytes);
    if (bytes > liveness.peak_bytes) {
      liveness.peak_bytes = bytes;
      liveness.peak_kernel = k;
    }
  }
  return liveness;
}

bool AliveAt(const Tensor& tensor, KernelIndex kernel) {
  if (tensor.persistent) return true;
  if (tensor.wraps()) {
    return kernel <= tensor.death_kernel || kernel >= tensor.birth_kernel;
  }
  return kernel >= tensor.birth_kernel && kernel <= tensor.death_kernel;
}

std::vector<std::vector<KernelIndex>> UsesByTensor(const Graph& graph) {
  std::vector<std::vector<KernelIndex>> uses(graph.tensors.size());
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    for (const Operand& operand : graph.kernels[k].operands) {
      uses[operand.tensor].push_back(k);
    }
  }
  return uses;
}

std::vector<std::vector<TensorIndex>> BirthsByKernel(const Graph& graph) {
  std::vector<std::vector<TensorIndex>> births(graph.kernels.size());
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    if (graph.tensors[t].persistent) continue;
    births[graph.tensors[t].birth_kernel].push_back(t);
  }
  return births;
}

}  // namespace stowage
