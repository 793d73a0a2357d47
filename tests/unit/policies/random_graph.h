// Makes seeded graphs for tests: arbitrary ones with every kind of tensor, and
// ones with the shape of a training step.
//
//   Graph graph = RandomGraph(seed);
#ifndef STOWAGE_TESTS_UNIT_POLICIES_RANDOM_GRAPH_H_
#define STOWAGE_TESTS_UNIT_POLICIES_RANDOM_GRAPH_H_

#include <cstdint>

#include "policies/model/graph.h"

namespace stowage::policies {

struct GraphSize {
  int most_kernels = 24;
  int most_tensors = 40;
};

// Returns a small valid graph: 1 to 24 kernels, persistent, wrapping, pinned
// and workspace tensors, unused tensors, zero durations.
Graph RandomGraph(uint64_t seed, const GraphSize& size = {});

// Returns `graph` with up to three more implementations, faster and slower
// ones, for most of the kernels that have no workspace. They have workspaces of
// up to 1.5 MiB.
Graph WithAlternatives(Graph graph, uint64_t seed);

// Returns forward, backward and optimizer of a network with `layers` layers.
// Activations are kept for the backward pass, gradients wrap to the next step,
// weights and momenta persist. A layer has about 11 kernels.
Graph TrainingStepGraph(int layers, uint64_t seed);

}  // namespace stowage::policies

#endif  // STOWAGE_TESTS_UNIT_POLICIES_RANDOM_GRAPH_H_
