// Finds where a training step ends, in scripts that know nothing of Stowage.
//
//   if (StartsBackward(info, stack, first)) marker.BackwardBegins();
//   ends = marker.AwaitsForward() && RecordsGradients(stack, first) &&
//          marker.ForwardBegins();                // before each operator
//
// A step ends when an optimizer's step() returns: torch.optim wraps it in a
// user-scope record, "Optimizer.step#...". Scripts without torch.optim: at the
// first operator that records gradients again after a backward pass. A script
// that has made an optimizer may accumulate the gradients of several backward
// passes before the first step().
//
// Thread-safe without a lock, since every operator of every thread asks. One
// per process; knows nothing of PyTorch.
#ifndef STOWAGE_CLIENT_SDK_TORCH_STEP_MARKER_H_
#define STOWAGE_CLIENT_SDK_TORCH_STEP_MARKER_H_

#include <atomic>
#include <string_view>

namespace stowage::torch_plugin {

class StepMarker {
 public:
  void BackwardBegins();

  // An operator that records gradients now would be the first of a forward
  // pass, and end the step.
  bool AwaitsForward() const { return in_backward_ && BackwardEndsSteps(); }

  // It is about to run. True: the step before it has ended; of threads that say
  // so at the same time, one is told.
  bool ForwardBegins() { return in_backward_.exchange(false); }

  // A user-scope record opens or closes. Opening returns true if an optimizer
  // is about to update parameters, closing if the step has ended with it. The
  // thread that opened a record closes it.
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

  std::atomic<bool> manual_{false};
  std::atomic<bool> expects_optimizer_{false};
  std::atomic<bool> has_optimizer_{false};
  std::atomic<bool> in_backward_{false};
  std::atomic<int> backward_passes_{0};
};

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_STEP_MARKER_H_
