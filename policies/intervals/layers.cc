#include "policies/intervals/layers.h"

#include <algorithm>

namespace stowage::policies {
namespace {

bool TellsLayers(const Graph& graph) {
  return std::any_of(graph.kernels.begin(), graph.kernels.end(),
                     [](const Kernel& kernel) { return kernel.layer != 0; });
}

}  // namespace

Layers FindLayers(const Graph& graph) {
  const bool known = TellsLayers(graph);
  Layers layers;
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    const bool begins = k == 0 || !known ||
                        graph.kernels[k].layer != graph.kernels[k - 1].layer;
    if (begins) layers.first_kernel.push_back(k);
    layers.of_kernel.push_back(layers.count() - 1);
  }
  return layers;
}

int32_t LivenessInLayers(const Tensor& tensor, const Layers& layers) {
  if (tensor.persistent) return layers.count();
  const LayerIndex birth = layers.of_kernel[tensor.birth_kernel];
  const LayerIndex death = layers.of_kernel[tensor.death_kernel];
  if (!tensor.wraps()) return death - birth + 1;
  return std::min(layers.count(), layers.count() - birth + death + 1);
}

bool IsShortLived(const Tensor& tensor, const Layers& layers) {
  return !tensor.alive_at_start() && LivenessInLayers(tensor, layers) == 1;
}

Intervals DivideIntoIntervals(const Layers& layers, LayerIndex length) {
  Intervals intervals;
  for (LayerIndex layer = 0; layer < layers.count(); layer += length) {
    intervals.first_kernel.push_back(layers.first_kernel[layer]);
  }
  intervals.first_kernel.push_back(
      static_cast<KernelIndex>(layers.of_kernel.size()));
  intervals.of_kernel.resize(layers.of_kernel.size());
  for (int32_t i = 0; i < intervals.count(); ++i) {
    std::fill(intervals.of_kernel.begin() + intervals.first_kernel[i],
              intervals.of_kernel.begin() + intervals.first_kernel[i + 1], i);
  }
  return intervals;
}

}  // namespace stowage::policies
