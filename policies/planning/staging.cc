#include "policies/planning/staging.h"

#include <algorithm>
#include <tuple>

namespace stowage::policies {

std::vector<Residency> ImmovableResidencies(const Graph& graph) {
  std::vector<Residency> residencies = AllFastResidencies(graph);
  std::erase_if(residencies, [&](const Residency& residency) {
    return graph.tensors[residency.tensor].movable();
  });
  return residencies;
}

std::vector<Residency> StagedResidencies(const Graph& graph,
                                         const Workload& workload) {
  std::vector<Residency> residencies = ImmovableResidencies(graph);
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    for (TensorIndex t : workload.staged[k]) {
      const Tensor& tensor = graph.tensors[t];
      if (!tensor.movable()) continue;
      Residency residency{t, k, k, k + 1, k + 1};
      residency.moved_in = tensor.persistent || tensor.birth_kernel != k;
      residency.moved_out = tensor.persistent || tensor.death_kernel != k;
      residencies.push_back(residency);
    }
  }
  std::sort(residencies.begin(), residencies.end(),
            [](const Residency& a, const Residency& b) {
              return std::tie(a.tensor, a.begin) < std::tie(b.tensor, b.begin);
            });
  return residencies;
}

}  // namespace stowage::policies
