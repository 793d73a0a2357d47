// The kernel of an operator, for those parts of the hook that see operators.
//
//   OperatorKernel kernel(InfoOf(op), stack, first, RecordedGradients());
//   op.redispatchBoxed(keys, &stack);
//   kernel.End(stack, op.schema().returns().size());
//
// Of the hook (hook.h), and for its thread: what is here needs a hooked job.
#ifndef STOWAGE_CLIENT_SDK_TORCH_HOOK_OPERATOR_KERNEL_H_
#define STOWAGE_CLIENT_SDK_TORCH_HOOK_OPERATOR_KERNEL_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <c10/core/DispatchKey.h>

#include <cstddef>
#include <functional>

#include "client_sdk/runtime/job.h"
#include "client_sdk/torch/operators/collectives.h"
#include "client_sdk/torch/operators/operands.h"
#include "client_sdk/torch/operators/operator_info.h"

namespace stowage::torch_plugin {

// Makes the kernel current on this thread and ends it, whatever happens.
class KernelScope {
 public:
  KernelScope(runtime::RunningKernel* kernel, const Operands& operands);
  ~KernelScope();
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;
  void End(const Operands& outputs);

 private:
  runtime::RunningKernel* kernel_;
  bool ended_ = false;
};

// The kernel of an operator, from its arguments to its results. Throws what the
// job throws.
class OperatorKernel {
 public:
  // Begins it. The arguments are those from `first` on; `records` says whether
  // gradients are recorded.
  OperatorKernel(const OperatorInfo& info, const torch::jit::Stack& stack,
                 size_t first, bool records);

  // Ends it. The results are the last of the stack.
  void End(const torch::jit::Stack& stack, size_t results);

 private:
  // Returns the weight of a convolution, whose result decides.
  at::Tensor CountFlops(const OperatorInfo& info,
                        const torch::jit::Stack& stack, size_t first);

  bool in_call_;
  runtime::RunningKernel kernel_;
  at::Tensor weight_;
  KernelScope scope_;
};

// Returns whether the thread is within an operator, which is the kernel.
bool InOperator();

// Keeps what the action throws for ThrowKeptError().
void KeepError(const std::function<void()>& action);

// Returns the job, null where there is none, and what the hook has beside it.
runtime::Job* HookedJob();
RunningCollectives& Collectives();
c10::DispatchKey HookKey();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_HOOK_OPERATOR_KERNEL_H_
