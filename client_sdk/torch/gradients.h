// What an operator that is about to run has to do with gradients.
#ifndef STOWAGE_CLIENT_SDK_TORCH_GRADIENTS_H_
#define STOWAGE_CLIENT_SDK_TORCH_GRADIENTS_H_

#include <ATen/core/stack.h>

#include "client_sdk/torch/operator_info.h"

namespace stowage::torch_plugin {

// `loss.backward()` makes the gradient of the loss with respect to itself: this
// operator does that.
bool StartsBackward(const OperatorInfo& info, const torch::jit::Stack& stack,
                    size_t first_argument);

// Autograd remembers it for a backward pass to come.
bool RecordsGradients(const torch::jit::Stack& stack, size_t first_argument);

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_GRADIENTS_H_
