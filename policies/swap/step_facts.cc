#include "policies/swap/step_facts.h"

#include <algorithm>
#include <numeric>

#include "policies/layout/address_layout.h"
#include "policies/model/kernel_cost.h"
#include "policies/model/liveness.h"
#include "policies/planning/plan_builder.h"

namespace stowage::policies {

std::vector<int64_t> IdealBoundaryNs(const Graph& graph,
                                     const MemorySystem& system) {
  std::vector<int64_t> boundary_ns = {0};
  for (const Kernel& kernel : graph.kernels) {
    const int64_t duration_ns = KernelDurationNs(
        graph, kernel, system, [](TensorIndex) { return kFastTier; });
    boundary_ns.push_back(
        std::min(kLatestNs, boundary_ns.back() + kernel.gap_ns + duration_ns));
  }
  return boundary_ns;
}

StepFacts::StepFacts(const Graph& graph, const MemorySystem& system,
                     const Workload& workload)
    : graph(graph),
      system(system),
      workload(workload),
      boundary_ns(IdealBoundaryNs(graph, system)),
      uses(graph.tensors.size()),
      deaths(graph.kernels.size() + 1),
      all_fast_bytes(graph.kernels.size() + 1, 0) {
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    bytes.push_back(RoundUpToPlacement(tensor.size_bytes));
    if (tensor.movable() && !tensor.persistent) {
      deaths[tensor.death_kernel + 1].push_back(t);
    }
  }
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    for (TensorIndex t : workload.staged[k]) uses[t].push_back(k);
  }
  // Collects changes first, then sums them up.
  const KernelIndex end = graph.kernel_count() + 1;
  for (const Residency& residency : AllFastResidencies(graph)) {
    if (residency.begin >= residency.end) continue;
    all_fast_bytes[residency.begin] += bytes[residency.tensor];
    if (residency.end < end) {
      all_fast_bytes[residency.end] -= bytes[residency.tensor];
    }
  }
  std::partial_sum(all_fast_bytes.begin(), all_fast_bytes.end(),
                   all_fast_bytes.begin());
}

KernelIndex StepFacts::NextUse(TensorIndex t, KernelIndex from) const {
  const auto next = std::lower_bound(uses[t].begin(), uses[t].end(), from);
  if (next == uses[t].end() || *next > LastBoundary(t, from)) return -1;
  return *next;
}

bool StepFacts::IsOld(TensorIndex t, KernelIndex k) const {
  const Tensor& tensor = graph.tensors[t];
  return tensor.movable() && AliveAt(tensor, k) &&
         (tensor.persistent || tensor.birth_kernel != k);
}

KernelIndex StepFacts::LastBoundary(TensorIndex t, KernelIndex from) const {
  const Tensor& tensor = graph.tensors[t];
  const bool outlives =
      tensor.persistent || (tensor.wraps() && from > tensor.death_kernel);
  return outlives ? graph.kernel_count() : tensor.death_kernel;
}

}  // namespace stowage::policies
