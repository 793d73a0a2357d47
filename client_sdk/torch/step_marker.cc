#include "client_sdk/torch/step_marker.h"

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <algorithm>

namespace stowage::torch_plugin {
namespace {

constexpr std::string_view kBackwardRoot = "aten::ones_like";
constexpr std::string_view kOptimizerStep = "Optimizer.step#";
// An optimizer that has not stepped after so many is not used.
constexpr int kMostAccumulated = 256;

bool RecordsGradients(const torch::jit::Stack& stack, size_t first_argument) {
  if (!c10::GradMode::is_enabled()) return false;
  return std::any_of(stack.begin() + first_argument, stack.end(),
                     [](const c10::IValue& value) {
                       return value.isTensor() && value.toTensor().defined() &&
                              value.toTensor().requires_grad();
                     });
}

}  // namespace

bool StepMarker::StartsBackward(const OperatorInfo& info,
                                const torch::jit::Stack& stack,
                                size_t first_argument) {
  if (info.name != kBackwardRoot || first_argument >= stack.size() ||
      !stack[first_argument].isTensor()) {
    return false;
  }
  const at::Tensor& root = stack[first_argument].toTensor();
  return root.defined() && root.numel() == 1 && root.requires_grad();
}

bool StepMarker::BeforeOperator(const OperatorInfo& info,
                                const torch::jit::Stack& stack,
                                size_t first_argument) {
  if (StartsBackward(info, stack, first_argument)) {
    in_backward_ = true;
    ++backward_passes_;
    return false;
  }
  if (!in_backward_ || !BackwardEndsSteps() ||
      !RecordsGradients(stack, first_argument)) {
    return false;
  }
  in_backward_ = false;
  return true;
}

bool StepMarker::BackwardEndsSteps() const {
  if (manual_ || has_optimizer_) return false;
  return !expects_optimizer_ || backward_passes_ > kMostAccumulated;
}

bool StepMarker::RecordOpened(std::string_view name) {
  if (name.substr(0, kOptimizerStep.size()) != kOptimizerStep) return false;
  has_optimizer_ = true;
  return ++open_steps_ == 1;
}

bool StepMarker::RecordClosed(std::string_view name) {
  if (name.substr(0, kOptimizerStep.size()) != kOptimizerStep ||
      open_steps_ == 0 || --open_steps_ > 0) {
    return false;
  }
  in_backward_ = false;
  return !manual_;
}

}  // namespace stowage::torch_plugin
