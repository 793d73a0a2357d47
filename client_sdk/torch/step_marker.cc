#include "client_sdk/torch/step_marker.h"

#include <c10/core/GradMode.h>

namespace stowage::torch_plugin {
namespace {

constexpr std::string_view kBackwardRoot = "aten::ones_like";
constexpr std::string_view kOptimizerStep = "Optimizer.step#";

// `loss.backward()` makes the gradient of the loss with respect to itself.
bool StartsBackward(const OperatorInfo& info, const torch::jit::Stack& stack,
                    size_t first_argument) {
  if (info.name != kBackwardRoot || first_argument >= stack.size() ||
      !stack[first_argument].isTensor()) {
    return false;
  }
  const at::Tensor& root = stack[first_argument].toTensor();
  return root.defined() && root.numel() == 1 && root.requires_grad();
}

}  // namespace

bool StepMarker::BeforeOperator(const OperatorInfo& info,
                                const torch::jit::Stack& stack,
                                size_t first_argument) {
  if (StartsBackward(info, stack, first_argument)) {
    in_backward_ = true;
    return false;
  }
  if (!in_backward_ || !c10::GradMode::is_enabled()) return false;
  in_backward_ = false;
  return !has_optimizer_ && !manual_;
}

void StepMarker::RecordOpened(const std::string& name,
                              const at::Tensor& handle) {
  if (name.rfind(kOptimizerStep, 0) == 0 && open_step_ == nullptr) {
    open_step_ = handle.unsafeGetTensorImpl();
    has_optimizer_ = true;
  }
}

bool StepMarker::RecordClosed(const at::Tensor& handle) {
  if (open_step_ == nullptr || open_step_ != handle.unsafeGetTensorImpl()) {
    return false;
  }
  open_step_ = nullptr;
  in_backward_ = false;
  return !manual_;
}

}  // namespace stowage::torch_plugin
