// Tells what an operator that is about to run has to do with gradients.
//
//   const size_t first = stack.size() - op.schema().arguments().size();
//   const bool forward = RecordedGradients();
//   if (StartsBackward(info, stack, first)) marker.BackwardBegins();
#ifndef STOWAGE_CLIENT_SDK_TORCH_GRADIENTS_H_
#define STOWAGE_CLIENT_SDK_TORCH_GRADIENTS_H_

#include <ATen/core/stack.h>

#include "client_sdk/torch/operator_info.h"

namespace stowage::torch_plugin {

// Returns whether the operator begins a backward pass: `loss.backward()` first
// makes the gradient of the loss with respect to itself.
bool StartsBackward(const OperatorInfo& info, const torch::jit::Stack& stack,
                    size_t first_argument);

// Returns whether autograd has recorded something on this thread since the last
// call of either function. Kernels of torch.compile ask before they run: they
// run within a custom function, which has recorded itself.
bool RecordedNode();

// Returns whether that was for a backward pass that may come. Every operator
// asks before it runs, when autograd has recorded it.
bool RecordedGradients();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_GRADIENTS_H_
