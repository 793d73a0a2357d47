#include "client_sdk/torch/hook/extension_calls.h"

#include <utility>

#include "client_sdk/torch/operators/operands.h"

namespace stowage::torch_plugin {
namespace {

constexpr uint32_t kReadAndWritten =
    session::kOperandRead | session::kOperandWrite;
// A call in which so many steps have ended is one that trains.
constexpr int kStepsOfTraining = 2;

void AddOperands(runtime::Job* job, at::TensorList tensors, uint32_t flags,
                 Operands* operands) {
  for (const at::Tensor& tensor : tensors) {
    AddOperand(job, tensor, flags, operands);
  }
}

}  // namespace

void ExtensionCalls::Begin(runtime::Job* job,
                           const runtime::RunningKernel& kernel,
                           at::TensorList given) {
  Operands operands;
  AddOperands(job, given, kReadAndWritten, &operands);
  calls_.push_back({.job = job, .kernel = kernel, .given = given.vec()});
  Call& call = calls_.back();
  try {
    job->BeginKernel(&call.kernel, operands);
  } catch (...) {
    calls_.pop_back();
    throw;
  }
  call.in_kernel = true;
}

void ExtensionCalls::End(at::TensorList results) {
  if (calls_.empty()) return;
  Call call = std::move(calls_.back());
  calls_.pop_back();
  if (call.in_kernel) {
    Operands outputs;
    AddOperands(call.job, results, session::kOperandWrite, &outputs);
    call.job->EndKernel(&call.kernel, outputs);
  } else {
    CloseCall(call, results);
  }
}

// Runs the last kernel of a call that has called operators.
void ExtensionCalls::CloseCall(Call& call, at::TensorList results) {
  if (call.steps_ended < kStepsOfTraining) {
    runtime::RunningKernel last{.key = call.kernel.key,
                                .name = call.kernel.name,
                                .backward = call.kernel.backward,
                                .auxiliary = call.kernel.auxiliary};
    Operands operands;
    AddOperands(call.job, call.given, kReadAndWritten, &operands);
    AddOperands(call.job, results, kReadAndWritten, &operands);
    call.job->BeginKernel(&last, operands);
    call.job->EndKernel(&last, {});
  }
  Unpin(call);
}

runtime::RunningKernel* ExtensionCalls::kernel() {
  const bool runs = !calls_.empty() && calls_.back().in_kernel;
  return runs ? &calls_.back().kernel : nullptr;
}

bool ExtensionCalls::OperatorBegins() {
  for (Call& call : calls_) {
    LeaveKernel(call);
    for (; call.told < call.pins.size(); ++call.told) {
      call.job->NoteUseBeside(call.pins[call.told]);
    }
  }
  return !calls_.empty();
}

void ExtensionCalls::Pin(const std::vector<c10::StorageImpl*>& storages) {
  PinIn(calls_.back(), storages);
}

void ExtensionCalls::PinIn(Call& call,
                           const std::vector<c10::StorageImpl*>& storages) {
  if (call.steps_ended >= kStepsOfTraining) return;
  for (c10::StorageImpl* storage : storages) {
    const uint64_t pin = call.job->PinOperand(storage);
    if (pin != 0) call.pins.push_back(pin);
  }
}

void ExtensionCalls::LeaveKernel(Call& call) {
  if (!std::exchange(call.in_kernel, false)) return;
  PinIn(call, StoragesOf(call.given));
  call.job->EndKernel(&call.kernel, {});
}

void ExtensionCalls::Unpin(Call& call) {
  for (const uint64_t pin : call.pins) call.job->Unpin(pin);
  call.pins.clear();
  call.told = 0;
}

// Arrays that outlive a step have their tensors set aside for good, but pins of
// a call do not.
void ExtensionCalls::StepEnds() {
  for (Call& call : calls_) {
    LeaveKernel(call);
    Unpin(call);
    ++call.steps_ended;
  }
}

void ExtensionCalls::StepBegins() {
  for (Call& call : calls_) PinIn(call, StoragesOf(call.given));
}

}  // namespace stowage::torch_plugin
