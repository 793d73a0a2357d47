#include "client_sdk/torch/hook/unhooked_operator.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "client_sdk/torch/hook/operator_kernel.h"
#include "client_sdk/torch/operators/operands.h"
#include "client_sdk/torch/operators/operator_info.h"
#include "client_sdk/torch/steps/gradients.h"

namespace stowage::torch_plugin {
namespace {

using torch::jit::Stack;
using Values = c10::ArrayRef<const c10::IValue>;

// Returns whether autograd is going to record an operator with these arguments.
bool WillRecord(const Stack& arguments) {
  if (!c10::GradMode::is_enabled()) return false;
  const auto tensors = PlainTensorsOf(arguments, arguments.size());
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const at::Tensor& t) { return t.requires_grad(); });
}

// Returns whether autograd takes the operator apart into others.
bool CallsOthersOnly(const c10::OperatorHandle& op) {
  return op.hasKernelForDispatchKey(
             c10::DispatchKey::CompositeImplicitAutograd) &&
         !op.hasKernelForDispatchKey(c10::DispatchKey::CPU);
}

// What TorchScript has on its stack may be more than an operator's.
Stack LastOf(Values stack, size_t count) {
  return Stack(stack.end() - count, stack.end());
}

// Gives the job a handle to the storage, without which its memory cannot move.
void LetMove(c10::StorageImpl* storage) {
  const c10::StorageImpl& read_only = *storage;
  const void* address = read_only.data_ptr().get();
  if (address != nullptr && HookedJob()->Manages(address)) {
    HookedJob()->BlockOf(storage, /*parameter=*/false);
  }
}

class UnhookedOperator;
thread_local UnhookedOperator* t_unhooked = nullptr;

// An operator that the fallback does not see. What it calls is part of its
// kernel.
class UnhookedOperator final : public at::ObserverContext {
 public:
  UnhookedOperator(const c10::OperatorHandle& op, const OperatorInfo& info,
                   const Stack& arguments)
      : results_(op.schema().returns().size()),
        kernel_(info, arguments, /*first=*/0,
                RecordedGradients() || WillRecord(arguments)),
        guard_(HookKey()) {
    if (info.outlives_call) {
      pins_ = Collectives().Pin(StoragesOf(arguments, 0));
    }
    t_unhooked = this;
  }
  ~UnhookedOperator() override { t_unhooked = nullptr; }

  // Takes the results of an operator that this one has called. Autograd may keep
  // some that are none of this one's: a copy of what is written in place. What
  // a backend keeps has addresses that it remembers.
  void KeepTrack(Values stack) {
    if (c10::impl::tls_is_dispatch_key_excluded(
            c10::DispatchKey::AutogradCPU)) {
      return;
    }
    for (c10::StorageImpl* storage :
         StoragesOf(LastOf(stack, stack.size()), 0)) {
      within_.push_back(
          c10::weak_intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage));
    }
  }

  // Without its Work, what a collective uses stays as long as its tensors live.
  void End(Values stack) {
    const Stack results = LastOf(stack, results_);
    if (!pins_.empty()) {
      Collectives().Add(results, results_, std::move(pins_));
    }
    kernel_.End(results, results_);
    for (const auto& weak : within_) {
      if (const auto storage = weak.lock()) LetMove(storage.get());
    }
  }

 private:
  const size_t results_;
  OperatorKernel kernel_;
  c10::impl::ExcludeDispatchKeyGuard guard_;
  std::vector<uint64_t> pins_;
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> within_;
};

}  // namespace

std::unique_ptr<at::ObserverContext> BeginUnhookedOperator(
    const at::RecordFunction& record) {
  const auto name = record.operator_name();
  if (HookedJob() == nullptr || InOperator() || !name) return nullptr;
  const auto op = c10::Dispatcher::singleton().findSchema(*name);
  if (!op.has_value() || CallsOthersOnly(*op)) return nullptr;
  const OperatorInfo& info = InfoOf(*op);
  if (info.composite || info.bookkeeping || info.view) return nullptr;
  const Stack arguments =
      LastOf(record.inputs(), op->schema().arguments().size());
  if (!HasPlainTensorsOnly(arguments)) return nullptr;
  std::unique_ptr<at::ObserverContext> begun;
  KeepError([&] {
    begun = std::make_unique<UnhookedOperator>(*op, info, arguments);
  });
  return begun;
}

void EndUnhookedOperator(const at::RecordFunction& record,
                         at::ObserverContext* begun) {
  const auto& results = record.outputs();
  const Values stack(results.data(), results.size());
  if (stack.empty()) return;  // it has thrown, or returns nothing
  if (begun != nullptr) {
    KeepError([&] { static_cast<UnhookedOperator*>(begun)->End(stack); });
  } else if (t_unhooked != nullptr) {
    t_unhooked->KeepTrack(stack);
  }
}

}  // namespace stowage::torch_plugin
