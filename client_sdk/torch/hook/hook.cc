#include "client_sdk/torch/hook/hook.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "client_sdk/session/hash.h"
#include "client_sdk/torch/hook/extension_calls.h"
#include "client_sdk/torch/hook/function_operators.h"
#include "client_sdk/torch/hook/operator_events.h"
#include "client_sdk/torch/hook/operator_kernel.h"
#include "client_sdk/torch/hook/running_kernel.h"
#include "client_sdk/torch/hook/team_stacks.h"
#include "client_sdk/torch/operators/collectives.h"
#include "client_sdk/torch/operators/flops.h"
#include "client_sdk/torch/operators/operands.h"
#include "client_sdk/torch/operators/operator_info.h"
#include "client_sdk/torch/steps/gradients.h"
#include "client_sdk/torch/steps/step_marker.h"

namespace stowage::torch_plugin {
namespace {

using torch::jit::Stack;

// Set once, before any thread has the hook.
c10::DispatchKey g_hook_key = c10::DispatchKey::Undefined;

// Atomic, since threads that start meanwhile ask for it.
std::atomic<runtime::Job*> g_hooked_job{nullptr};
RunningCollectives* g_collectives = nullptr;  // of that job, set before it
StepMarker g_marker;
thread_local runtime::RunningKernel* t_kernel = nullptr;
thread_local ExtensionCalls t_calls;
std::atomic<bool> g_training{false};  // some thread has run a backward pass
// This one has, has recorded gradients for the pass of another, updates
// parameters, or needs much memory.
thread_local bool t_trains = false;
// Some thread has needed so much that it became a part of the steps.
std::atomic<bool> g_crowded{false};

runtime::Job& TheJob() { return *HookedJob(); }

// Runs the operator, and lets the hook see those that it calls.
void RedispatchOpenly(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                      Stack* stack) {
  op.redispatchBoxed(
      keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, g_hook_key),
      stack);
}

void Redispatch(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                Stack* stack) {
  c10::impl::ExcludeDispatchKeyGuard guard(g_hook_key);
  RedispatchOpenly(op, keys, stack);
}

// Holds an error at the end of a step, where nobody could catch it. The next
// operator of the thread that ended the step throws it. A thread that loads
// data could do nothing about it, and training would go on.
thread_local std::exception_ptr t_pending_error;

void EndStep() {
  t_calls.StepEnds();
  KeepError([] { TheJob().EndStep(); });
  t_calls.StepBegins();
}

std::unique_ptr<at::ObserverContext> OnRecordOpened(
    const at::RecordFunction& record) {
  if (g_hooked_job != nullptr &&
      g_marker.RecordOpened(record.name(), InBackwardPass())) {
    t_trains = true;
    KeepError([] { TheJob().BeforeUpdate(); });
  }
  return nullptr;
}

void OnRecordClosed(const at::RecordFunction& record, at::ObserverContext*) {
  if (g_hooked_job == nullptr) return;
  if (g_marker.RecordClosed(record.name())) EndStep();
}

// Returns whether the thread, which is about to call a network, is no part of
// the steps. Where one has crowded the others before, the next one joins them
// here, since plans are left when it does so in the middle of a kernel.
bool StaysAuxiliary() {
  if (!OnAuxiliaryThread()) return false;
  t_trains = g_crowded;
  return !t_trains;
}

// Notes that a kernel of a forward pass is about to run. Returns whether the
// step before it has ended.
bool ForwardEndsStep() {
  return g_marker.AwaitsForward() && g_marker.ForwardBegins();
}

// Returns whether the step has ended now that a kernel is about to run, before
// which autograd has recorded something or not.
bool EndsStep(bool records) {
  if (BackwardPassBegins()) {
    t_trains = g_training = true;
    g_marker.BackwardBegins();
  }
  if (!records || InBackwardPass()) return false;
  t_trains = true;
  return ForwardEndsStep();
}

void RunCollective(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                   Stack* stack, size_t first) {
  std::vector<uint64_t> pins = g_collectives->Pin(StoragesOf(*stack, first));
  Redispatch(op, keys, stack);
  g_collectives->Add(*stack, op.schema().returns().size(), std::move(pins));
}

// Returns the operator's kernel, which is about to run; `records` says whether
// for gradients.
runtime::RunningKernel NextKernel(const OperatorInfo& info, bool records) {
  SeeNewFunctionOperators();
  g_collectives->Settle();
  if (EndsStep(records)) EndStep();
  ThrowKeptError();
  return {.key = info.key,
          .name = info.name,
          .backward = g_marker.in_backward(),
          .auxiliary = OnAuxiliaryThread()};
}

void RunKernel(const OperatorInfo& info, const c10::OperatorHandle& op,
               c10::DispatchKeySet keys, Stack* stack) {
  const size_t first = stack->size() - op.schema().arguments().size();
  OperatorKernel kernel(info, *stack, first, RecordedGradients());
  if (info.outlives_call) {
    RunCollective(op, keys, stack, first);
  } else {
    Redispatch(op, keys, stack);
  }
  kernel.End(*stack, op.schema().returns().size());
}

// Returns the name itself, which lives as long as the process: profiles under
// way point to it.
const std::string& Interned(const std::string& name) {
  thread_local auto* const names =
      new std::unordered_map<std::string, std::unique_ptr<std::string>>();
  std::unique_ptr<std::string>& interned = (*names)[name];
  if (interned == nullptr) interned = std::make_unique<std::string>(name);
  return *interned;
}

bool WritesParameter(at::TensorList tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [](const at::Tensor& t) {
    return t.requires_grad() && t.is_leaf();
  });
}

// Returns whether a view of the tensor may need kernels: transposing a sparse
// tensor copies its indices.
bool ViewsRunKernels(const c10::IValue& viewed) {
  return viewed.isTensor() && viewed.toTensor().defined() &&
         viewed.toTensor().layout() != at::kStrided;
}

// The compiled kernel that this thread runs.
thread_local std::optional<runtime::RunningKernel> t_compiled;

// Returns the kernel that a caller announces, who says what it may write.
runtime::RunningKernel Announce(const std::string& name,
                                at::TensorList writes) {
  SeeNewFunctionOperators();
  g_collectives->Settle();
  if (EndsStep(RecordedNode())) EndStep();
  ThrowKeptError();
  if (WritesParameter(writes) && g_marker.UpdateBegins()) {
    TheJob().BeforeUpdate();
  }
  const std::string& interned = Interned(name);
  return {.key = session::HashString(interned),
          .name = interned,
          .backward = g_marker.in_backward(),
          .auxiliary = OnAuxiliaryThread()};
}

void Fallback(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
              Stack* stack) {
  // Operators on meta tensors have shapes alone, which may even be symbols: so
  // does torch.compile trace a script.
  if (g_hooked_job == nullptr ||
      keys.has_backend(c10::BackendComponent::MetaBit)) {
    return Redispatch(op, keys, stack);
  }
  const OperatorInfo& info = InfoOf(op);
  if (info.composite) return RedispatchOpenly(op, keys, stack);
  if (info.view &&
      ViewsRunKernels(
          (*stack)[stack->size() - op.schema().arguments().size()])) {
    return RedispatchOpenly(op, keys, stack);
  }
  if (info.bookkeeping || info.view) return Redispatch(op, keys, stack);
  RunKernel(info, op, keys, stack);
}

// Registers the hook for as long as the process lives.
void RegisterFallback() {
  static auto* const library = new torch::Library(
      torch::Library::IMPL, "_", g_hook_key, __FILE__, __LINE__);
  library->fallback(torch::CppFunction::makeFromBoxedFunction<&Fallback>());
}

}  // namespace

runtime::Job* HookedJob() {
  return g_hooked_job.load(std::memory_order_acquire);
}

RunningCollectives& Collectives() { return *g_collectives; }

c10::DispatchKey HookKey() { return g_hook_key; }

bool InOperator() {
  return t_kernel != nullptr && t_kernel != t_calls.kernel();
}

void KeepError(const std::function<void()>& action) {
  try {
    action();
  } catch (...) {
    t_pending_error = std::current_exception();
  }
}

KernelScope::KernelScope(runtime::RunningKernel* kernel,
                         const Operands& operands)
    : kernel_(kernel) {
  TheJob().BeginKernel(kernel, operands);
  if (kernel->streamed_bytes > 0) GiveTeamSignalStacks();
  t_kernel = kernel;
}

KernelScope::~KernelScope() {
  t_kernel = nullptr;
  if (!ended_) TheJob().EndKernel(kernel_, {});
}

void KernelScope::End(const Operands& outputs) {
  ended_ = true;
  t_kernel = nullptr;
  TheJob().EndKernel(kernel_, outputs);
}

OperatorKernel::OperatorKernel(const OperatorInfo& info, const Stack& stack,
                               size_t first, bool records)
    : in_call_(t_calls.OperatorBegins()),
      kernel_(NextKernel(info, records)),
      weight_(CountFlops(info, stack, first)),
      scope_(&kernel_, InputsOf(&TheJob(), info, stack, first)) {
  if (in_call_) t_calls.Pin(StoragesOf(stack, first));
}

at::Tensor OperatorKernel::CountFlops(const OperatorInfo& info,
                                      const Stack& stack, size_t first) {
  using Flops = OperatorInfo::Flops;
  if (info.flops == Flops::kConvolution && stack[first + 1].isTensor()) {
    return stack[first + 1].toTensor();
  }
  if (info.flops != Flops::kUnknown) {
    kernel_.flops = MatmulFlops(info.flops, stack, first);
    kernel_.result_bytes = MatmulResultBytes(info.flops, stack, first);
  }
  if (info.works_on_copy) {
    kernel_.reworks_result = true;
    kernel_.result_bytes = LargestArgumentBytes(stack, first);
  }
  return {};
}

void OperatorKernel::End(const Stack& stack, size_t results) {
  if (weight_.defined() && stack.back().isTensor()) {
    kernel_.flops = ConvolutionFlops(weight_, stack.back().toTensor());
  }
  if (in_call_) t_calls.Pin(StoragesOf(stack, stack.size() - results));
  scope_.End(OutputsOf(&TheJob(), stack, results));
}

void ThrowKeptError() {
  if (t_pending_error) {
    std::rethrow_exception(std::exchange(t_pending_error, {}));
  }
}

runtime::RunningKernel* CurrentKernel() { return t_kernel; }

bool OnAuxiliaryThread() { return g_training && !t_trains; }

bool JoinsTraining(int64_t bytes) {
  if (g_hooked_job == nullptr || !TheJob().IsCrowdedBy(bytes)) return false;
  t_trains = g_crowded = true;
  if (t_kernel != nullptr) t_kernel->auxiliary = false;
  return true;
}

void InstallHook(c10::DispatchKey key, runtime::Job* job) {
  g_hook_key = key;
  if (key != c10::DispatchKey::Undefined) RegisterFallback();
  // Lives as long as the job. Threads of a backend may have started before.
  g_collectives = new RunningCollectives(job, &EnableHookOnThread);
  g_hooked_job = job;
  WatchFunctionOperators();
  EnableHookOnThread();
  if (key == c10::DispatchKey::Undefined) WatchOperators();
  at::addGlobalCallback(
      at::RecordFunctionCallback(OnRecordOpened, OnRecordClosed)
          .scopes({at::RecordScope::USER_SCOPE}));
}

bool HookedOnThread() {
  return g_hooked_job == nullptr || g_hook_key == c10::DispatchKey::Undefined ||
         c10::impl::tls_is_dispatch_key_included(g_hook_key);
}

// What was enabled may not be any more: threads of pools take over the state of
// those who give them work, and give it back.
void EnableHookOnThread() {
  if (HookedOnThread()) return;
  c10::impl::tls_set_dispatch_key_included(g_hook_key, true);
}

void DisableHook() {
  g_hooked_job = nullptr;
  c10::impl::tls_set_dispatch_key_included(g_hook_key, false);
}

void BeginCompiledKernel(const std::string& name, at::TensorList reads,
                         at::TensorList writes) {
  if (g_hooked_job == nullptr) return;
  const bool in_call = t_calls.OperatorBegins();
  t_compiled = Announce(name, writes);
  Operands operands;
  for (const at::Tensor& tensor : reads) {
    AddOperand(&TheJob(), tensor, session::kOperandRead, &operands);
  }
  for (const at::Tensor& tensor : writes) {
    AddOperand(&TheJob(), tensor,
               session::kOperandRead | session::kOperandWrite, &operands);
  }
  TheJob().BeginKernel(&*t_compiled, operands);
  t_kernel = &*t_compiled;
  if (!in_call) return;
  t_calls.Pin(StoragesOf(reads));
  t_calls.Pin(StoragesOf(writes));
}

void EndCompiledKernel() {
  if (!t_compiled.has_value()) return;
  t_kernel = nullptr;
  TheJob().EndKernel(&*t_compiled, {});
  t_compiled.reset();
}

bool BeginExtensionCall(const std::string& name, at::TensorList given) {
  if (g_hooked_job == nullptr || InOperator()) return false;
  t_calls.OperatorBegins();
  t_calls.Begin(&TheJob(), Announce(name, given), given);
  t_kernel = t_calls.kernel();
  return true;
}

void EndExtensionCall(at::TensorList results) {
  t_kernel = nullptr;
  if (g_hooked_job != nullptr) t_calls.End(results);
}

void NoteCollectiveAwaited() {
  if (g_hooked_job != nullptr) g_collectives->SettleWaited();
}

void ExpectOptimizer() { g_marker.ExpectOptimizer(); }

void NoteEvaluation(int64_t module) {
  if (g_hooked_job == nullptr || StaysAuxiliary()) return;
  if (g_marker.EvaluationCalls(module)) EndStep();
}

void NoteCompiledGraph(bool records_gradients, bool with_own_results) {
  if (g_hooked_job == nullptr) return;
  if (EndsStep(records_gradients)) return EndStep();
  if (StaysAuxiliary()) return;
  if (g_marker.CompiledGraphCalled(with_own_results)) EndStep();
}

void EndStepManually() {
  g_marker.SetManual();
  if (g_hooked_job != nullptr) TheJob().EndStep();
}

}  // namespace stowage::torch_plugin
