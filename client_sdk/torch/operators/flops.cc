#include "client_sdk/torch/operators/flops.h"

#include <ATen/core/Tensor.h>

namespace stowage::torch_plugin {

int64_t MatmulFlops(OperatorInfo::Flops kind, const torch::jit::Stack& stack,
                    size_t first_argument) {
  const size_t left =
      first_argument + (kind == OperatorInfo::Flops::kAddMatmul ? 1 : 0);
  if (left + 1 >= stack.size() || !stack[left].isTensor() ||
      !stack[left + 1].isTensor()) {
    return 0;
  }
  const at::Tensor& a = stack[left].toTensor();
  const at::Tensor& b = stack[left + 1].toTensor();
  if (!a.defined() || !b.defined() || b.dim() < 2) return 0;
  return 2 * a.numel() * b.size(-1);
}

int64_t ConvolutionFlops(const at::Tensor& weight, const at::Tensor& output) {
  if (!weight.defined() || !output.defined() || weight.dim() < 3 ||
      weight.size(0) == 0) {
    return 0;
  }
  return 2 * output.numel() * (weight.numel() / weight.size(0));
}

}  // namespace stowage::torch_plugin
