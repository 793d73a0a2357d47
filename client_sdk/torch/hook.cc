#include "client_sdk/torch/hook.h"

#include <ATen/SparseTensorImpl.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <atomic>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "client_sdk/torch/flops.h"
#include "client_sdk/torch/gradients.h"
#include "client_sdk/torch/operator_info.h"
#include "client_sdk/torch/running_kernel.h"
#include "client_sdk/torch/step_marker.h"

namespace stowage::torch_plugin {
namespace {

using torch::jit::Stack;
constexpr c10::DispatchKey kHookKey = c10::DispatchKey::Fake;

// Atomic, since threads that start meanwhile ask for it.
std::atomic<runtime::Job*> g_hooked_job{nullptr};
StepMarker g_marker;
thread_local runtime::RunningKernel* t_kernel = nullptr;
std::atomic<bool> g_training{false};  // some thread has run a backward pass
thread_local bool t_trains = false;   // this one has

runtime::Job& TheJob() { return *g_hooked_job.load(std::memory_order_acquire); }

// Calls `visit` with the tensors that have the storages: with the tensor
// itself, or with the parts of a sparse one. A tensor that is opaque to PyTorch
// has none.
template <typename Visit>
void VisitTensor(const at::Tensor& tensor, Visit&& visit) {
  if (!tensor.defined()) return;
  if (tensor.has_storage()) {
    visit(tensor);
  } else if (tensor.layout() == at::kSparse) {
    const auto* sparse =
        static_cast<const at::SparseTensorImpl*>(tensor.unsafeGetTensorImpl());
    visit(sparse->indices());
    visit(sparse->values());
  }
}

// Calls `visit` with every tensor in the value that has a storage.
template <typename Visit>
void ForEachTensor(const c10::IValue& value, Visit&& visit) {
  if (value.isTensor()) {
    VisitTensor(value.toTensor(), visit);
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector()) {
      VisitTensor(tensor, visit);
    }
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) {
      if (element.isTensor()) VisitTensor(element.toTensor(), visit);
    }
  }
}

// Adds the tensor's block to the operands, once.
void AddOperand(const at::Tensor& tensor, uint32_t flags,
                std::vector<runtime::KernelOperand>* operands) {
  c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
  void* address = storage->data_ptr().get();
  if (address == nullptr || !TheJob().Manages(address)) return;
  runtime::Block* block =
      TheJob().BlockOf(storage, tensor.requires_grad() && tensor.is_leaf());
  if (block == nullptr) return;
  for (runtime::KernelOperand& operand : *operands) {
    if (operand.block != block) continue;
    operand.flags |= flags;
    ++operand.access_count;
    return;
  }
  operands->push_back({block, flags});
}

std::vector<runtime::KernelOperand> InputsOf(const OperatorInfo& info,
                                             const Stack& stack, size_t first) {
  std::vector<runtime::KernelOperand> operands;
  for (size_t i = first; i < stack.size(); ++i) {
    const uint32_t flags =
        session::kOperandRead |
        (info.writes[i - first] ? session::kOperandWrite : 0u);
    ForEachTensor(stack[i], [&](const at::Tensor& tensor) {
      AddOperand(tensor, flags, &operands);
    });
  }
  return operands;
}

void PinOperands(const Stack& stack, size_t first) {
  for (size_t i = first; i < stack.size(); ++i) {
    ForEachTensor(stack[i], [](const at::Tensor& tensor) {
      TheJob().Pin(tensor.storage().unsafeGetStorageImpl());
    });
  }
}

std::vector<runtime::KernelOperand> OutputsOf(const Stack& stack,
                                              size_t count) {
  std::vector<runtime::KernelOperand> operands;
  for (size_t i = stack.size() - count; i < stack.size(); ++i) {
    ForEachTensor(stack[i], [&](const at::Tensor& tensor) {
      AddOperand(tensor, session::kOperandWrite, &operands);
    });
  }
  return operands;
}

void Redispatch(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                Stack* stack) {
  c10::impl::ExcludeDispatchKeyGuard guard(kHookKey);
  op.redispatchBoxed(
      keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kHookKey),
      stack);
}

// Holds an error at the end of a step, where nobody could catch it. The next
// operator of the thread that ended the step throws it. A thread that loads
// data could do nothing about it, and training would go on.
thread_local std::exception_ptr t_pending_error;

template <typename Action>
void KeepError(Action action) {
  try {
    action();
  } catch (...) {
    t_pending_error = std::current_exception();
  }
}

void ThrowKeptError() {
  if (t_pending_error) {
    std::rethrow_exception(std::exchange(t_pending_error, {}));
  }
}

void EndStep() {
  KeepError([] { TheJob().EndStep(); });
}

std::unique_ptr<at::ObserverContext> OnRecordOpened(
    const at::RecordFunction& record) {
  if (g_hooked_job != nullptr && g_marker.RecordOpened(record.name())) {
    KeepError([] { TheJob().BeforeUpdate(); });
  }
  return nullptr;
}

void OnRecordClosed(const at::RecordFunction& record, at::ObserverContext*) {
  if (g_hooked_job == nullptr) return;
  if (g_marker.RecordClosed(record.name())) EndStep();
}

// Makes the kernel current on this thread and ends it, whatever happens.
class KernelScope {
 public:
  KernelScope(runtime::RunningKernel* kernel,
              const std::vector<runtime::KernelOperand>& operands)
      : kernel_(kernel) {
    TheJob().BeginKernel(kernel, operands);
    t_kernel = kernel;
  }
  ~KernelScope() {
    t_kernel = nullptr;
    if (!ended_) TheJob().EndKernel(kernel_, {});
  }
  void End(const std::vector<runtime::KernelOperand>& outputs) {
    ended_ = true;
    t_kernel = nullptr;
    TheJob().EndKernel(kernel_, outputs);
  }

 private:
  runtime::RunningKernel* kernel_;
  bool ended_ = false;
};

// Returns whether the step has ended now that this operator is about to run.
bool EndsStep(const OperatorInfo& info, const Stack& stack, size_t first) {
  const bool records = RecordedGradients();
  if (StartsBackward(info, stack, first)) {
    t_trains = g_training = true;
    g_marker.BackwardBegins();
    return false;
  }
  return records && g_marker.AwaitsForward() && !OnAuxiliaryThread() &&
         g_marker.ForwardBegins();
}

void RunKernel(const OperatorInfo& info, const c10::OperatorHandle& op,
               c10::DispatchKeySet keys, Stack* stack) {
  using Flops = OperatorInfo::Flops;
  const size_t first = stack->size() - op.schema().arguments().size();
  if (EndsStep(info, *stack, first)) EndStep();
  ThrowKeptError();
  runtime::RunningKernel kernel{.key = info.key,
                                .name = info.name,
                                .backward = g_marker.in_backward(),
                                .auxiliary = OnAuxiliaryThread()};
  at::Tensor weight;
  if (info.flops == Flops::kConvolution && (*stack)[first + 1].isTensor()) {
    weight = (*stack)[first + 1].toTensor();
  } else if (info.flops != Flops::kUnknown) {
    kernel.flops = MatmulFlops(info.flops, *stack, first);
  }
  if (info.outlives_call) PinOperands(*stack, first);
  KernelScope scope(&kernel, InputsOf(info, *stack, first));
  Redispatch(op, keys, stack);
  if (weight.defined() && stack->back().isTensor()) {
    kernel.flops = ConvolutionFlops(weight, stack->back().toTensor());
  }
  scope.End(OutputsOf(*stack, op.schema().returns().size()));
}

void Fallback(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
              Stack* stack) {
  if (g_hooked_job == nullptr) return Redispatch(op, keys, stack);
  const OperatorInfo& info = InfoOf(op);
  if (info.bookkeeping || info.view) return Redispatch(op, keys, stack);
  RunKernel(info, op, keys, stack);
}

TORCH_LIBRARY_IMPL(_, Fake, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&Fallback>());
}

}  // namespace

runtime::RunningKernel* CurrentKernel() { return t_kernel; }

bool OnAuxiliaryThread() { return g_training && !t_trains; }

void InstallHook(runtime::Job* job) {
  g_hooked_job = job;
  EnableHookOnThread();
  at::addGlobalCallback(
      at::RecordFunctionCallback(OnRecordOpened, OnRecordClosed)
          .scopes({at::RecordScope::USER_SCOPE}));
}

void EnableHookOnThread() {
  thread_local bool enabled = false;
  if (enabled || g_hooked_job == nullptr) return;
  enabled = true;
  c10::impl::tls_set_dispatch_key_included(kHookKey, true);
}

void DisableHook() {
  g_hooked_job = nullptr;
  c10::impl::tls_set_dispatch_key_included(kHookKey, false);
}

void ExpectOptimizer() { g_marker.ExpectOptimizer(); }

void NoteEvaluation(int64_t module) {
  if (g_hooked_job == nullptr || OnAuxiliaryThread()) return;
  if (g_marker.EvaluationCalls(module)) EndStep();
}

void EndStepManually() {
  g_marker.SetManual();
  if (g_hooked_job != nullptr) TheJob().EndStep();
}

}  // namespace stowage::torch_plugin
