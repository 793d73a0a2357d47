#include "client_sdk/torch/operators/flops.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <optional>

namespace stowage::torch_plugin {
namespace {

// What is multiplied, in a matrix product of at least two dimensions.
struct Factors {
  const at::Tensor& a;
  const at::Tensor& b;
};

std::optional<Factors> FactorsOf(OperatorInfo::Flops kind,
                                 const torch::jit::Stack& stack,
                                 size_t first_argument) {
  const size_t left =
      first_argument + (kind == OperatorInfo::Flops::kAddMatmul ? 1 : 0);
  if (left + 1 >= stack.size() || !stack[left].isTensor() ||
      !stack[left + 1].isTensor()) {
    return std::nullopt;
  }
  const at::Tensor& a = stack[left].toTensor();
  const at::Tensor& b = stack[left + 1].toTensor();
  if (!a.defined() || !b.defined() || b.dim() < 2) return std::nullopt;
  if (a.is_nested() || b.is_nested()) return std::nullopt;  // rows differ
  return Factors{a, b};
}

}  // namespace

int64_t MatmulFlops(OperatorInfo::Flops kind, const torch::jit::Stack& stack,
                    size_t first_argument) {
  const auto factors = FactorsOf(kind, stack, first_argument);
  if (!factors.has_value()) return 0;
  return 2 * factors->a.numel() * factors->b.size(-1);
}

int64_t MatmulResultBytes(OperatorInfo::Flops kind,
                          const torch::jit::Stack& stack,
                          size_t first_argument) {
  const auto factors = FactorsOf(kind, stack, first_argument);
  if (!factors.has_value()) return 0;
  const at::Tensor& a = factors->a;
  const int64_t inner = a.dim() > 0 ? a.size(-1) : 0;
  if (inner == 0) return 0;
  return a.numel() / inner * factors->b.size(-1) *
         static_cast<int64_t>(a.element_size());
}

int64_t LargestArgumentBytes(const torch::jit::Stack& stack,
                             size_t first_argument) {
  int64_t largest_bytes = 0;
  for (size_t i = first_argument; i < stack.size(); ++i) {
    if (!stack[i].isTensor() || !stack[i].toTensor().defined()) continue;
    const at::Tensor& tensor = stack[i].toTensor();
    largest_bytes = std::max<int64_t>(largest_bytes,
                                      tensor.numel() * tensor.element_size());
  }
  return largest_bytes;
}

int64_t ConvolutionFlops(const at::Tensor& weight, const at::Tensor& output) {
  if (!weight.defined() || !output.defined() || weight.dim() < 3 ||
      weight.size(0) == 0) {
    return 0;
  }
  return 2 * output.numel() * (weight.numel() / weight.size(0));
}

}  // namespace stowage::torch_plugin
