// Finds where a step ends, in scripts that know nothing of Stowage.
//
//   if (BackwardPassBegins()) marker.BackwardBegins();
//   ends = marker.AwaitsForward() && RecordedGradients() &&
//          marker.ForwardBegins();              // before each operator
//   ends = marker.EvaluationCalls(module);      // before a module's forward()
//
// A training step ends when an optimizer's step() returns: torch.optim wraps it
// in a user-scope record, "Optimizer.step#...". Where several optimizers step one
// after the other, it ends with the first one: what the others do begins the next
// step, and so all of an iteration is one kind. In scripts without torch.optim
// it ends at the first operator that records gradients again after a backward
// pass, or at the first evaluation after it. A script that has made an
// optimizer may accumulate the gradients of several backward passes before the
// first step(). Where torch.compile has compiled step() there is no record of it,
// and the step ends as in a script without torch.optim. An optimizer's step() that
// calls a closure, and so computes gradients anew, is divided in the same way:
// each forward pass after a backward pass of the closure begins a new step. Where
// the backward pass itself calls the optimizers of its parameters, as hooks do that
// save the memory of gradients, the step ends with the next forward pass.
//
// Where torch.compile has compiled whole steps, there are no backward passes. Then a
// step ends when a compiled graph is called after parameters were written, or is
// given what it returned before: the weights of a script that makes new ones.
//
// An evaluation, a pass that records no gradients, has nothing that ends it. So
// in a step that has recorded none a new step begins when a module is called
// that the step has called before: each batch of an evaluation becomes a step.
// The first operator that records gradients ends the last one. A training step
// may call other networks without gradients as well: once each before its
// forward pass (a teacher, the policy that acts), and as often as it likes
// after that. Where it calls one several times first, each call but the last
// becomes a step, in every iteration alike.
//
// Evaluations are told apart once kStepsBeforeEvaluation training steps have
// ended: before that the job's peak is not known (fast_limit.h). A job that has
// called modules again kCallsBeforeEvaluation times by then may never train, and
// what it evaluates with is its peak.
//
// Thread-safe, and without a lock for what every operator of every thread asks.
// One per process; knows nothing of PyTorch.
#ifndef STOWAGE_CLIENT_SDK_TORCH_STEPS_STEP_MARKER_H_
#define STOWAGE_CLIENT_SDK_TORCH_STEPS_STEP_MARKER_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <unordered_set>

namespace stowage::torch_plugin {

class StepMarker {
 public:
  static constexpr int kStepsBeforeEvaluation = 2;
  static constexpr int kCallsBeforeEvaluation = 16;

  void BackwardBegins();

  // Returns whether ForwardBegins() is to be called before the next operator
  // that records gradients.
  bool AwaitsForward() const {
    return !in_forward_ || (in_backward_ && BackwardEndsSteps());
  }

  // Notes that an operator that records gradients is about to run. Returns
  // whether the step before it has ended; of threads that ask at the same time,
  // one is told.
  bool ForwardBegins();

  // Notes that the module, which has parameters, is called while no gradients
  // are recorded, and that no other module has called it. Returns whether the
  // step before it has ended.
  bool EvaluationCalls(uint64_t module);

  // Note that a user-scope record opens or closes; `in_pass` says whether a
  // backward pass runs on this thread. RecordOpened() returns true if an
  // optimizer is about to update parameters, RecordClosed() if the step has
  // ended with the record: if gradients were computed in it, or never are. The
  // thread that opened a record closes it.
  bool RecordOpened(std::string_view name, bool in_pass);
  bool RecordClosed(std::string_view name);

  // Notes that a kernel which no optimizer's step() runs is about to write
  // parameters: torch.compile has compiled step() itself, or the whole training
  // step. Returns whether it is the first one after a backward pass, or of the
  // step in a script that has none.
  bool UpdateBegins();

  // Notes that a graph of torch.compile is called, and whether it is given
  // something that it has returned. Returns whether the step before it has
  // ended.
  bool CompiledGraphCalled(bool with_own_results);

  // Returns whether gradients are being computed.
  bool in_backward() const { return in_backward_; }

  // Notes that the script has made an optimizer: backward passes end no step,
  // unless many of them pass without it.
  void ExpectOptimizer() { expects_optimizer_ = true; }

  // Lets only explicit calls end steps from here on.
  void SetManual() { manual_ = true; }

 private:
  bool BackwardEndsSteps() const;
  bool CompilesWholeSteps() const;
  void EndTrainingStep();

  std::atomic<bool> manual_{false};
  std::atomic<bool> expects_optimizer_{false};
  std::atomic<bool> has_optimizer_{false};
  std::atomic<bool> has_compiled_optimizer_{false};
  std::atomic<bool> updates_in_passes_{false};
  std::atomic<bool> in_update_{false};   // by a compiled optimizer
  std::atomic<bool> in_forward_{false};  // the step has recorded gradients
  std::atomic<bool> in_backward_{false};
  std::atomic<bool> in_evaluation_{false};  // the step began as one
  std::atomic<int> backward_passes_{0};
  std::atomic<int> updates_after_step_{0};  // by further optimizers
  std::atomic<int> training_steps_{0};      // that have ended

  std::mutex mutex_;
  std::unordered_set<uint64_t> called_;  // without gradients, in this step
  int calls_before_training_ = 0;        // again, of one that was called
};

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_STEPS_STEP_MARKER_H_
