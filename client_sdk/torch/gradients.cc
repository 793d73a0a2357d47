#include "client_sdk/torch/gradients.h"

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <string_view>

namespace stowage::torch_plugin {
namespace {

constexpr std::string_view kBackwardRoot = "aten::ones_like";

bool RequiresGradient(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined() &&
         value.toTensor().requires_grad();
}

}  // namespace

bool StartsBackward(const OperatorInfo& info, const torch::jit::Stack& stack,
                    size_t first_argument) {
  return info.name == kBackwardRoot && first_argument < stack.size() &&
         RequiresGradient(stack[first_argument]) &&
         stack[first_argument].toTensor().numel() == 1;
}

bool RecordsGradients(const torch::jit::Stack& stack, size_t first_argument) {
  return c10::GradMode::is_enabled() &&
         std::any_of(stack.begin() + first_argument, stack.end(),
                     RequiresGradient);
}

}  // namespace stowage::torch_plugin
