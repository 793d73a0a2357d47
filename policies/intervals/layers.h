// The layers of a step in the order in which it runs them, which is what
// Sentinel and ReDL measure lifetimes and migration intervals in.
//
//   Layers layers = FindLayers(graph);
//   bool reserve = IsShortLived(graph.tensors[t], layers);
//
// A layer here is a run of consecutive kernels with the same layer number: the
// forward and the backward pass of a model's layer are two of them (ReDL II-B
// counts so, too). Where a graph does not tell layers, each kernel is one.
// Pure functions of a valid graph.
#ifndef STOWAGE_POLICIES_INTERVALS_LAYERS_H_
#define STOWAGE_POLICIES_INTERVALS_LAYERS_H_

#include <cstdint>
#include <vector>

#include "policies/model/graph.h"

namespace stowage::policies {

using LayerIndex = int32_t;

struct Layers {
  std::vector<KernelIndex> first_kernel;  // by layer, ascending
  std::vector<LayerIndex> of_kernel;      // by kernel

  LayerIndex count() const {
    return static_cast<LayerIndex>(first_kernel.size());
  }
};

Layers FindLayers(const Graph& graph);

// In how many layers the tensor is alive (Sentinel III-B, ReDL II-B).
// Persistent ones are alive in all of them.
int32_t LivenessInLayers(const Tensor& tensor, const Layers& layers);

// Alive in one layer only (Sentinel III-B, observation 1; ReDL II-B). Not what
// lives on into the next step.
bool IsShortLived(const Tensor& tensor, const Layers& layers);

// The kernels of a step in intervals of equally many layers; the last one may
// have fewer.
struct Intervals {
  std::vector<KernelIndex> first_kernel;  // by interval, then the kernel count
  std::vector<int32_t> of_kernel;         // by kernel

  int32_t count() const {
    return static_cast<int32_t>(first_kernel.size()) - 1;
  }
};

// `length` >= 1, in layers.
Intervals DivideIntoIntervals(const Layers& layers, LayerIndex length);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_INTERVALS_LAYERS_H_
