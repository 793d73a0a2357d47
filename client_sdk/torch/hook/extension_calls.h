// Keeps what a function of a C++ extension uses where it is until it returns.
//
//   thread_local ExtensionCalls calls;
//   calls.Begin(&job, kernel, tensors);  // the function is called with these
//   if (calls.OperatorBegins()) {        // it calls an operator of PyTorch
//     job.BeginKernel(&other, operands);
//     calls.Pin(StoragesOf(stack, first));
//   }
//   calls.End(results);                  // it returns
//
// Such a function takes the addresses of its tensors, and nobody sees what it
// does with them. So its call is a kernel, which reads and may write all that it
// is given. If it calls operators, they are kernels of their own, and the one of
// the call ends. The function may go on using addresses that it took before, so
// that what it was given and what its operators use stays where it is. When it
// returns, a last kernel uses what it was given: plans leave that alone until
// then.
//
// A function that trains returns when the job has ended: two steps that end
// within a call end its pins.
#ifndef STOWAGE_CLIENT_SDK_TORCH_HOOK_EXTENSION_CALLS_H_
#define STOWAGE_CLIENT_SDK_TORCH_HOOK_EXTENSION_CALLS_H_

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "client_sdk/runtime/job.h"
#include "client_sdk/runtime/steps/running_kernel.h"

namespace stowage::torch_plugin {

// The calls of one thread, each within the one before. Not thread-safe.
class ExtensionCalls {
 public:
  // Begins a call that is `kernel` as long as it calls no operators. Throws as
  // Job::BeginKernel() does; the call has not begun then. `job` must outlive it.
  void Begin(runtime::Job* job, const runtime::RunningKernel& kernel,
             at::TensorList given);
  // Ends the innermost call, if there is one.
  void End(at::TensorList results);

  // Returns the kernel of the innermost call, unless an operator has ended it;
  // else null.
  runtime::RunningKernel* kernel();

  // Notes that an operator is about to run. Returns whether it does so within a
  // call: then the caller is to Pin() what the operator uses, while it runs.
  bool OperatorBegins();
  void Pin(const std::vector<c10::StorageImpl*>& storages);

  // Call them around the end of a step.
  void StepEnds();
  void StepBegins();

 private:
  struct Call {
    runtime::Job* job = nullptr;
    runtime::RunningKernel kernel;
    std::vector<at::Tensor> given;
    bool in_kernel = false;
    std::vector<uint64_t> pins;
    size_t told = 0;  // of the pins, to plans
    int steps_ended = 0;
  };

  static void PinIn(Call& call, const std::vector<c10::StorageImpl*>& storages);
  static void LeaveKernel(Call& call);
  static void Unpin(Call& call);
  static void CloseCall(Call& call, at::TensorList results);

  std::deque<Call> calls_;  // running kernels do not move
};

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_HOOK_EXTENSION_CALLS_H_
