// Counts the floating-point operations of the operators that dominate training,
// and what they are going to allocate.
//
//   kernel.flops = MatmulFlops(info.flops, stack, first);
//   kernel.result_bytes = MatmulResultBytes(info.flops, stack, first);
#ifndef STOWAGE_CLIENT_SDK_TORCH_OPERATORS_FLOPS_H_
#define STOWAGE_CLIENT_SDK_TORCH_OPERATORS_FLOPS_H_

#include <ATen/core/stack.h>

#include "client_sdk/torch/operators/operator_info.h"

namespace stowage::torch_plugin {

// Returns the operations of a matrix product, from the arguments of its call; 0
// if they are not known. A multiplication and an addition are two operations.
int64_t MatmulFlops(OperatorInfo::Flops kind, const torch::jit::Stack& stack,
                    size_t first_argument);

// Returns the size of the product, from the arguments of its call; 0 if it is not
// known.
int64_t MatmulResultBytes(OperatorInfo::Flops kind,
                          const torch::jit::Stack& stack,
                          size_t first_argument);

// Returns the size of the largest tensor among the arguments of a call.
int64_t LargestArgumentBytes(const torch::jit::Stack& stack,
                             size_t first_argument);

// Returns the operations of a convolution: 2 x elements of `output` x input
// channels of a group x elements of its kernel; 0 if they are not known.
int64_t ConvolutionFlops(const at::Tensor& weight, const at::Tensor& output);

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_OPERATORS_FLOPS_H_
