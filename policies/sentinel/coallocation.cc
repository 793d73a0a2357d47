#include "policies/sentinel/coallocation.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "policies/intervals/visit.h"
#include "policies/layout/address_layout.h"

namespace stowage::policies {
namespace {

// Returns the layers in which a residency begins and ends.
std::pair<LayerIndex, LayerIndex> LayersOf(const Residency& residency,
                                           const Layers& layers) {
  const auto last = static_cast<KernelIndex>(layers.of_kernel.size()) - 1;
  return {layers.of_kernel[std::min(residency.begin, last)],
          layers.of_kernel[std::min(residency.end - 1, last)]};
}

// Numbers the residencies of a block and lines them up.
void MakeBlock(const Graph& graph, int32_t block,
               const std::vector<Residency*>& residencies) {
  int64_t offset_bytes = 0;
  for (Residency* residency : residencies) {
    residency->block = block;
    residency->block_offset_bytes = offset_bytes;
    offset_bytes +=
        RoundUpToPlacement(graph.tensors[residency->tensor].size_bytes);
  }
}

}  // namespace

std::vector<CoallocationGroup> FindCoallocationGroups(const Graph& graph,
                                                      const Layers& layers) {
  std::map<std::pair<LayerIndex, LayerIndex>, CoallocationGroup> groups;
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (tensor.alive_at_start() || !tensor.movable()) continue;
    if (IsShortLived(tensor, layers)) continue;
    const LayerIndex birth = layers.of_kernel[tensor.birth_kernel];
    const LayerIndex death = layers.of_kernel[tensor.death_kernel];
    CoallocationGroup& group = groups[{birth, death}];
    group.birth_layer = birth;
    group.death_layer = death;
    group.tensors.push_back(t);
  }
  const std::vector<int64_t> accesses = CountAccesses(graph);
  std::vector<CoallocationGroup> sorted;
  for (auto& [lifetime, group] : groups) {
    std::stable_sort(group.tensors.begin(), group.tensors.end(),
                     [&](TensorIndex a, TensorIndex b) {
                       return accesses[a] > accesses[b];
                     });
    sorted.push_back(std::move(group));
  }
  return sorted;
}

void CoAllocate(const Graph& graph, const Layers& layers,
                std::vector<Residency>& residencies) {
  std::vector<std::vector<Residency*>> by_tensor(graph.tensors.size());
  for (Residency& residency : residencies) {
    by_tensor[residency.tensor].push_back(&residency);
  }
  int32_t blocks = 0;
  for (const CoallocationGroup& group : FindCoallocationGroups(graph, layers)) {
    std::map<std::pair<LayerIndex, LayerIndex>, std::vector<Residency*>>
        residencies;
    for (TensorIndex t : group.tensors) {
      for (Residency* residency : by_tensor[t]) {
        residencies[LayersOf(*residency, layers)].push_back(residency);
      }
    }
    for (const auto& [lifetime, together] : residencies) {
      if (together.size() > 1) MakeBlock(graph, blocks++, together);
    }
  }
}

}  // namespace stowage::policies
