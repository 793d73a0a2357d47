// Finds the layers of a step in the order in which it runs them. Sentinel and
// ReDL measure lifetimes and migration intervals in layers.
//
//   Layers layers = FindLayers(graph);
//   bool reserve = IsShortLived(graph.tensors[t], layers);
//
// A layer here is a run of consecutive kernels with the same layer number: the
// forward and the backward pass of a model's layer are two of them (ReDL II-B
// counts so, too). If a graph does not tell layers, each kernel is one. Pure
// functions of a valid graph.
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

// Returns in how many layers the tensor is alive (Sentinel III-B, ReDL II-B).
// Persistent tensors are alive in all of them.
int32_t LivenessInLayers(const Tensor& tensor, const Layers& layers);

// Returns whether the tensor is alive in one layer only (Sentinel III-B,
// observation 1; ReDL II-B). A tensor that lives on into the next step is not
// short-lived.
bool IsShortLived(const Tensor& tensor, const Layers& layers);

// Divides the kernels of a step into intervals of equally many layers; the last
// one may have fewer.
struct Intervals {
  std::vector<KernelIndex> first_kernel;  // by interval, then the kernel count
  std::vector<int32_t> of_kernel;         // by kernel

  int32_t count() const {
    return static_cast<int32_t>(first_kernel.size()) - 1;
  }
};

// Makes intervals of `length` >= 1 layers.
Intervals DivideIntoIntervals(const Layers& layers, LayerIndex length);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_INTERVALS_LAYERS_H_
