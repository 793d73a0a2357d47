#include "policies/model/liveness.h"

#include <algorithm>
#include <iterator>

namespace stowage::policies {

Liveness ComputeLiveness(const Graph& graph) {
  // Collects differences between consecutive kernels first, then sums them up.
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

Groups UsesByTensor(const Graph& graph) {
  return Groups(graph.tensors.size(), [&](auto add) {
    for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
      for (const Operand& operand : graph.kernels[k].operands) {
        add(operand.tensor, k);
      }
    }
  });
}

Groups WritesByTensor(const Graph& graph) {
  return Groups(graph.tensors.size(), [&](auto add) {
    for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
      for (const Operand& operand : graph.kernels[k].operands) {
        if (operand.write) add(operand.tensor, k);
      }
    }
  });
}

KernelIndex BehindLast(absl::Span<const KernelIndex> kernels, KernelIndex end) {
  const auto at = std::lower_bound(kernels.begin(), kernels.end(), end);
  return at == kernels.begin() ? 0 : *std::prev(at) + 1;
}

Groups BirthsByKernel(const Graph& graph) {
  return Groups(graph.kernels.size(), [&](auto add) {
    for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
      const Tensor& tensor = graph.tensors[t];
      if (!tensor.persistent) add(tensor.birth_kernel, t);
    }
  });
}

Groups DeathsByBoundary(const Graph& graph) {
  return Groups(graph.kernels.size() + 1, [&](auto add) {
    for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
      const Tensor& tensor = graph.tensors[t];
      if (!tensor.persistent) add(tensor.death_kernel + 1, t);
    }
  });
}

}  // namespace stowage::policies
