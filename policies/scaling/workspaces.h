// The step without the scratch memory that libraries take.
//
//   graph = WithoutWorkspaces(std::move(graph));
//
// For comparison with frameworks whose kernels need none: PyTorch's oneDNN
// copies whole activations into another layout around each convolution.
#ifndef STOWAGE_POLICIES_SCALING_WORKSPACES_H_
#define STOWAGE_POLICIES_SCALING_WORKSPACES_H_

#include "policies/model/graph.h"

namespace stowage::policies {

// Tensors of kind kWorkspace and the operands that name them are left out; the
// others are numbered anew, in their order. Durations stay.
Graph WithoutWorkspaces(Graph graph);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SCALING_WORKSPACES_H_
