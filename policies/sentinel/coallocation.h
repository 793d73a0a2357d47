// Finds the long-lived tensors that Sentinel allocates together (IV-B): those
// that are alive in exactly the same layers, ordered by how often they are
// accessed.
//
//   std::vector<CoallocationGroup> groups =
//       FindCoallocationGroups(graph, layers);
//   CoAllocate(graph, layers, residencies);   // ahead of BuildPlan
//
// Pure functions of a valid graph.
#ifndef STOWAGE_POLICIES_SENTINEL_COALLOCATION_H_
#define STOWAGE_POLICIES_SENTINEL_COALLOCATION_H_

#include <vector>

#include "policies/intervals/layers.h"
#include "policies/model/graph.h"
#include "policies/planning/plan_builder.h"

namespace stowage::policies {

struct CoallocationGroup {
  LayerIndex birth_layer = 0;
  LayerIndex death_layer = 0;
  std::vector<TensorIndex> tensors;  // most accessed first
};

// Returns the groups by (birth layer, death layer). It leaves out tensors that
// are alive as a step begins, which are allocated before the training starts
// and share pages with nothing, and short-lived and immovable tensors.
std::vector<CoallocationGroup> FindCoallocationGroups(const Graph& graph,
                                                      const Layers& layers);

// Makes blocks of the residencies of a group's tensors that come to the fast
// tier in the same layer and leave it in the same layer. Their addresses follow
// each other in the group's order.
void CoAllocate(const Graph& graph, const Layers& layers,
                std::vector<Residency>& residencies);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SENTINEL_COALLOCATION_H_
