#include "client_sdk/torch/collectives.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace stowage::torch_plugin {
namespace {

using WeakWork = c10::weak_intrusive_ptr<c10d::Work>;

bool HasCompleted(const WeakWork& weak) {
  const c10::intrusive_ptr<c10d::Work> work = weak.lock();
  return !work.defined() || work->isCompleted();
}

// An error is the script's to see, when it waits itself.
void Await(const c10::intrusive_ptr<c10d::Work>& work) {
  if (!work.defined()) return;
  try {
    work->wait();
  } catch (const std::exception&) {
  }
}

// Calls `action` on the thread that completes the Work, before what the script
// has that thread do then. Some Works cannot.
void WhenCompleted(c10d::Work& work, void (*action)()) {
  try {
    work.getFuture()->addCallback([action](c10::ivalue::Future&) { action(); });
  } catch (const std::exception&) {
  }
}

}  // namespace

std::vector<uint64_t> RunningCollectives::Pin(
    const std::vector<c10::StorageImpl*>& storages) {
  std::vector<uint64_t> pins;
  for (c10::StorageImpl* storage : storages) {
    const uint64_t pin = job_->PinOperand(storage);
    if (pin != 0) pins.push_back(pin);
  }
  return pins;
}

void RunningCollectives::Add(const torch::jit::Stack& stack, size_t results,
                             std::vector<uint64_t> pins) {
  const auto work =
      std::find_if(stack.end() - results, stack.end(),
                   [](const c10::IValue& value) { return value.isObject(); });
  if (work == stack.end()) return;
  const auto begun = work->toCustomClass<c10d::Work>();
  if (on_completion_ != nullptr) WhenCompleted(*begun, on_completion_);
  if (pins.empty()) return;
  Running running{.work = WeakWork(begun), .pins = std::move(pins)};
  const std::lock_guard<std::mutex> lock(mutex_);
  running_.push_back(std::move(running));
  count_ = running_.size();
}

void RunningCollectives::Settle() {
  if (count_ == 0) return;
  End(TakeCompleted(/*beside_kernel=*/true));
  if (count_ == 0) return;
  for (const uint64_t pin : job_->PinsInTheWay()) Await(WorkOf(pin));
  End(TakeCompleted(/*beside_kernel=*/true));
}

void RunningCollectives::End(const std::vector<uint64_t>& pins) {
  for (const uint64_t pin : pins) job_->Unpin(pin);
}

// Returns null if no collective that runs has the pin.
c10::intrusive_ptr<c10d::Work> RunningCollectives::WorkOf(uint64_t pin) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Running& running : running_) {
    const auto& pins = running.pins;
    if (std::find(pins.begin(), pins.end(), pin) != pins.end()) {
      return running.work.lock();
    }
  }
  return {};
}

// Returns the pins of what has completed. Before a kernel, plans are told of
// every collective.
std::vector<uint64_t> RunningCollectives::TakeCompleted(bool beside_kernel) {
  std::vector<uint64_t> completed;
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(running_, [&](Running& running) {
    const auto& pins = running.pins;
    if (beside_kernel && !std::exchange(running.told, true)) {
      for (const uint64_t pin : pins) job_->NoteUseBeside(pin);
    }
    if (!HasCompleted(running.work)) return false;
    completed.insert(completed.end(), pins.begin(), pins.end());
    return true;
  });
  count_ = running_.size();
  return completed;
}

}  // namespace stowage::torch_plugin
