#include "client_sdk/torch/operators/collectives.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <typeinfo>
#include <utility>

namespace stowage::torch_plugin {
namespace {

using WeakWork = c10::weak_intrusive_ptr<c10d::Work>;

bool HasCompleted(const WeakWork& weak) {
  const c10::intrusive_ptr<c10d::Work> work = weak.lock();
  return !work.defined() || work->isCompleted();
}

// Returns whether the Work is but a function that runs whenever somebody waits,
// on that thread, and never completes: gloo's reduce-scatter adds up a copy of
// its own, and waiting copies the result from there to its operand, over what
// the script has made of that since.
bool IsDeferred(const c10d::Work& work) {
  return std::string_view(typeid(work).name()).find("LambdaWork") !=
         std::string_view::npos;
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
  if (IsDeferred(*begun)) return End(pins);
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
  for (const uint64_t pin : job_->PinsInTheWay()) Await(pin);
  End(TakeCompleted(/*beside_kernel=*/true));
}

void RunningCollectives::End(const std::vector<uint64_t>& pins) {
  for (const uint64_t pin : pins) job_->Unpin(pin);
}

// Waits for the collective that has the pin, if it runs. Waits once for each:
// operators that run meanwhile come here, too, and leave it alone. An error is
// the script's to see, when it waits itself.
void RunningCollectives::Await(uint64_t pin) {
  const c10::intrusive_ptr<c10d::Work> work = TakeAwaitable(pin);
  if (!work.defined()) return;
  try {
    work->wait();
  } catch (const std::exception&) {
  }
}

// Returns null if no collective that runs has the pin, or if it is or has been
// waited for.
c10::intrusive_ptr<c10d::Work> RunningCollectives::TakeAwaitable(uint64_t pin) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Running& running : running_) {
    const auto& pins = running.pins;
    if (std::find(pins.begin(), pins.end(), pin) == pins.end()) continue;
    if (std::exchange(running.awaited, true)) return {};
    return running.work.lock();
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
