#include "client_sdk/torch/steps/step_marker.h"

namespace stowage::torch_plugin {
namespace {

constexpr std::string_view kOptimizerStep = "Optimizer.step#";
// An optimizer that has not stepped after so many is not used.
constexpr int kMostAccumulated = 256;

// Where as many optimizers have stepped one after the other, no gradients are
// computed any more: each is a step.
constexpr int kMostAfterStep = 1024;

// Records of optimizer steps that this thread has open, one within the other.
thread_local int t_open_steps = 0;
// Whether a backward pass has begun within them: a closure runs.
thread_local bool t_in_closure = false;
// Whether a backward pass has called them.
thread_local bool t_called_by_pass = false;

bool IsOptimizerStep(std::string_view name) {
  return name.substr(0, kOptimizerStep.size()) == kOptimizerStep;
}

}  // namespace

void StepMarker::BackwardBegins() {
  in_backward_ = true;
  ++backward_passes_;
  t_in_closure = t_open_steps > 0;
}

bool StepMarker::BackwardEndsSteps() const {
  if (manual_) return false;
  if (has_optimizer_) return t_in_closure;
  if (updates_in_passes_) return true;
  if (has_compiled_optimizer_) return in_update_;
  return !expects_optimizer_ || backward_passes_ > kMostAccumulated;
}

bool StepMarker::ForwardBegins() {
  const bool trained = BackwardEndsSteps() && in_backward_.exchange(false);
  if (trained) EndTrainingStep();
  in_forward_ = true;
  const bool evaluated = in_evaluation_.exchange(false);
  return (trained || evaluated) && !manual_;
}

// As far as is known.
bool StepMarker::CompilesWholeSteps() const {
  return backward_passes_ == 0 && !has_optimizer_ && !manual_;
}

bool StepMarker::UpdateBegins() {
  if (t_open_steps > 0) return false;
  if (in_backward_) {
    has_compiled_optimizer_ = true;
  } else if (!CompilesWholeSteps()) {
    return false;
  }
  return !in_update_.exchange(true);
}

bool StepMarker::CompiledGraphCalled(bool with_own_results) {
  if (!CompilesWholeSteps() || !(with_own_results || in_update_)) return false;
  EndTrainingStep();
  return true;
}

bool StepMarker::EvaluationCalls(uint64_t module) {
  if (manual_) return false;
  bool ended = BackwardEndsSteps() && in_backward_.exchange(false);
  if (ended) EndTrainingStep();
  if (in_forward_) return ended;
  const std::lock_guard lock(mutex_);
  if (called_.insert(module).second) return ended;
  if (training_steps_ < kStepsBeforeEvaluation &&
      ++calls_before_training_ < kCallsBeforeEvaluation) {
    return ended;
  }
  called_ = {module};
  in_evaluation_ = true;
  return true;
}

void StepMarker::EndTrainingStep() {
  const std::lock_guard lock(mutex_);
  called_.clear();
  in_forward_ = in_evaluation_ = in_update_ = false;
  ++training_steps_;
}

bool StepMarker::RecordOpened(std::string_view name, bool in_pass) {
  if (!IsOptimizerStep(name)) return false;
  if (++t_open_steps > 1) return false;
  t_called_by_pass = in_pass;
  (in_pass ? updates_in_passes_ : has_optimizer_) = true;
  return true;
}

bool StepMarker::RecordClosed(std::string_view name) {
  if (!IsOptimizerStep(name) || t_open_steps == 0 || --t_open_steps > 0) {
    return false;
  }
  if (t_called_by_pass) return false;
  t_in_closure = false;
  const bool first = in_backward_.exchange(false) || backward_passes_ == 0;
  if (!first && ++updates_after_step_ < kMostAfterStep) return false;
  if (first) updates_after_step_ = 0;
  EndTrainingStep();
  return !manual_;
}

}  // namespace stowage::torch_plugin
