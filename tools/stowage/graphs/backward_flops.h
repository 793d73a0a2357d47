// Fills in the FLOPs of backward convolutions. Profiles leave them out, because
// PyTorch's call does not say what it computes.
//
//   FillBackwardFlops(graph);
//
// A backward convolution takes the FLOPs of its forward for each gradient that
// it writes, its input's and its weight's. Its forward is the convolution
// before it that reads most of the same tensors.
#ifndef STOWAGE_TOOLS_STOWAGE_GRAPHS_BACKWARD_FLOPS_H_
#define STOWAGE_TOOLS_STOWAGE_GRAPHS_BACKWARD_FLOPS_H_

#include "policies/model/graph.h"

namespace stowage::cli {

// Fills in the FLOPs. Leaves kernels that have FLOPs, or no forward, as they
// are.
void FillBackwardFlops(policies::Graph& graph);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_GRAPHS_BACKWARD_FLOPS_H_
