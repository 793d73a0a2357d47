#include "policies/sentinel/coallocation.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "policies/intervals/visit.h"
#include "policies/layout/address_layout.h"

namespace stowage {
namespace {

// Layers in which a segment begins and ends.
std::pair<LayerIndex, LayerIndex> LayersOf(const FastSegment& segment,
                                           const Layers& layers) {
  const auto last = static_cast<KernelIndex>(layers.of_kernel.size()) - 1;
  return {layers.of_kernel[std::min(segment.begin, last)],
          layers.of_kernel[std::min(segment.end - 1, last)]};
}

// Numbers the segments of a block and lines them up.
void MakeBlock(const Graph& graph, int32_t block,
               const std::vector<FastSegment*>& segments) {
  int64_t offset_bytes = 0;
  for (FastSegment* segment : segments) {
    segment->block = block;
    segment->block_offset_bytes = offset_bytes;
    offset_bytes +=
        RoundUpToPlacement(graph.tensors[segment->tensor].size_bytes);
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
                std::vector<FastSegment>& segments) {
  std::vector<std::vector<FastSegment*>> by_tensor(graph.tensors.size());
  for (FastSegment& segment : segments) {
    by_tensor[segment.tensor].push_back(&segment);
  }
  int32_t blocks = 0;
  for (const CoallocationGroup& group : FindCoallocationGroups(graph, layers)) {
    std::map<std::pair<LayerIndex, LayerIndex>, std::vector<FastSegment*>>
        stays;
    for (TensorIndex t : group.tensors) {
      for (FastSegment* segment : by_tensor[t]) {
        stays[LayersOf(*segment, layers)].push_back(segment);
      }
    }
    for (const auto& [lifetime, together] : stays) {
      if (together.size() > 1) MakeBlock(graph, blocks++, together);
    }
  }
}

}  // namespace stowage
