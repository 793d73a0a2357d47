// Leaves the scratch memory that libraries take out of a step.
//
//   graph = WithoutWorkspaces(std::move(graph));
//
// This serves comparison with frameworks whose kernels need none: PyTorch's
// oneDNN copies whole activations into another layout around each convolution.
#ifndef STOWAGE_POLICIES_SCALING_WORKSPACES_H_
#define STOWAGE_POLICIES_SCALING_WORKSPACES_H_

#include "policies/model/graph.h"

namespace stowage::policies {

// Leaves out tensors of kind kWorkspace and the operands that name them. The
// others are numbered anew, in their order. Durations stay.
Graph WithoutWorkspaces(Graph graph);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SCALING_WORKSPACES_H_
