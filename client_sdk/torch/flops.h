// Floating-point operations of the operators that dominate training.
#ifndef STOWAGE_CLIENT_SDK_TORCH_FLOPS_H_
#define STOWAGE_CLIENT_SDK_TORCH_FLOPS_H_

#include <ATen/core/stack.h>

#include "client_sdk/torch/operator_info.h"

namespace stowage::torch_plugin {

// Counts from the arguments, before the call. Multiply and add are two. 0:
// unknown. For convolutions, `outputs` of the call are needed: see
// ConvolutionFlops.
int64_t MatmulFlops(OperatorInfo::Flops kind, const torch::jit::Stack& stack,
                    size_t first_argument);

// 2 x output elements x input channels per group x kernel elements.
int64_t ConvolutionFlops(const at::Tensor& weight, const at::Tensor& output);

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_FLOPS_H_
