#include "policies/autotm/tensor_flow.h"

#include <algorithm>

#include "policies/layout/address_layout.h"

namespace stowage::policies {
namespace {

// Returns the slower tier for which moves are priced: the first that kernels
// can use in place, if there is one, else the first.
TierIndex PricedTier(const MemorySystem& system) {
  for (TierIndex t = 1; t < system.tier_count(); ++t) {
    if (system.tiers[t].addressable) return t;
  }
  return kFastTier + 1;
}

TensorFlow StartFlow(const Graph& graph, const MemorySystem& system,
                     TensorIndex t) {
  const Tensor& tensor = graph.tensors[t];
  const KernelIndex step = graph.kernel_count() + 1;
  const TierIndex slow = PricedTier(system);
  TensorFlow flow{.tensor = t, .cyclic = tensor.persistent};
  flow.bytes = RoundUpToPlacement(tensor.size_bytes);
  flow.in_ns = system.CopyDurationNs(slow, kFastTier, tensor.size_bytes);
  flow.out_ns = system.CopyDurationNs(kFastTier, slow, tensor.size_bytes);
  flow.end = tensor.death_kernel + 1 + (tensor.wraps() ? step : 0);
  return flow;
}

void AddUse(const Graph& graph, KernelIndex k, UsePlace place,
            TensorFlow& flow) {
  const Tensor& tensor = graph.tensors[flow.tensor];
  if (!tensor.movable()) return;
  const bool next_step = tensor.wraps() && k <= tensor.death_kernel;
  const std::vector<Operand>& operands = graph.kernels[k].operands;
  const bool written = std::any_of(
      operands.begin(), operands.end(),
      [&](const Operand& o) { return o.tensor == flow.tensor && o.write; });
  flow.uses.push_back({.kernel = next_step ? k + graph.kernel_count() + 1 : k,
                       .place = place,
                       .writes = written || k == tensor.birth_kernel});
}

void FinishFlow(const Graph& graph, TensorFlow& flow) {
  std::sort(
      flow.uses.begin(), flow.uses.end(),
      [](const FlowUse& a, const FlowUse& b) { return a.kernel < b.kernel; });
  if (flow.cyclic) {
    flow.end = flow.uses.front().kernel + graph.kernel_count() + 1;
  }
}

}  // namespace

std::vector<TensorFlow> MakeTensorFlows(const Graph& graph,
                                        const MemorySystem& system,
                                        const Workload& workload) {
  const bool free = HasAddressableSlowTier(system);
  std::vector<TensorFlow> flows;
  flows.reserve(graph.tensor_count());
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    flows.push_back(StartFlow(graph, system, t));
  }
  const UsePlace staged = free ? UsePlace::kEither : UsePlace::kFast;
  const UsePlace left_slow = free ? UsePlace::kEither : UsePlace::kSlow;
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    for (TensorIndex t : workload.staged[k]) {
      AddUse(graph, k, staged, flows[t]);
    }
    for (TensorIndex t : workload.left_slow[k]) {
      AddUse(graph, k, left_slow, flows[t]);
    }
  }
  std::erase_if(flows,
                [](const TensorFlow& flow) { return flow.uses.empty(); });
  for (TensorFlow& flow : flows) FinishFlow(graph, flow);
  return flows;
}

Rest SynchronousRest(const TensorFlow& flow, int i) {
  const KernelIndex out = flow.first_rest(i);
  const KernelIndex in = flow.last_rest(i) + 1;
  return {.fast = false, .leave = out, .left = out, .fetch = in, .back = in};
}

Paths SlowestPaths(const std::vector<TensorFlow>& flows) {
  Paths paths;
  for (const TensorFlow& flow : flows) {
    TensorPath path;
    for (int i = 0; i < flow.use_count(); ++i) {
      path.fast.push_back(flow.uses[i].place == UsePlace::kFast);
      path.rests.push_back(SynchronousRest(flow, i));
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace stowage::policies
