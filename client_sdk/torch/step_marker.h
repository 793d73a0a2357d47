// Finds where a training step ends, in scripts that know nothing of Stowage.
//
// A step ends when an optimizer's step() returns: torch.optim wraps it in a
// user-scope record, "Optimizer.step#...". Scripts without torch.optim: at the
// first operator that records gradients again after a backward pass. A script
// that has made an optimizer may accumulate the gradients of several backward
// passes before the first step().
//
// Not thread-safe: the training thread is the one that runs backward passes.
#ifndef STOWAGE_CLIENT_SDK_TORCH_STEP_MARKER_H_
#define STOWAGE_CLIENT_SDK_TORCH_STEP_MARKER_H_

#include <ATen/core/stack.h>

#include <string_view>

#include "client_sdk/torch/operator_info.h"

namespace stowage::torch_plugin {

class StepMarker {
 public:
  // `loss.backward()` makes the gradient of the loss with respect to itself:
  // this operator does that.
  static bool StartsBackward(const OperatorInfo& info,
                             const torch::jit::Stack& stack,
                             size_t first_argument);

  // Before an operator that is not bookkeeping. True: the step before it has
  // ended.
  bool BeforeOperator(const OperatorInfo& info, const torch::jit::Stack& stack,
                      size_t first_argument);

  // A user-scope record opens or closes. Opening returns true if an optimizer
  // is about to update parameters, closing if the step has ended with it.
  bool RecordOpened(std::string_view name);
  bool RecordClosed(std::string_view name);

  // Gradients are being computed.
  bool in_backward() const { return in_backward_; }

  // The script has made an optimizer: backward passes end no step, unless many
  // of them pass without it.
  void ExpectOptimizer() { expects_optimizer_ = true; }

  // From here on only explicit calls end steps.
  void SetManual() { manual_ = true; }

 private:
  bool BackwardEndsSteps() const;

  bool manual_ = false;
  bool expects_optimizer_ = false;
  int backward_passes_ = 0;
  bool has_optimizer_ = false;
  bool in_backward_ = false;
  int open_steps_ = 0;  // records of optimizer steps, one within the other
};

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_STEP_MARKER_H_
