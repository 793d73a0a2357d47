// Keeps the operands of collectives where they are while these run.
//
//   RunningCollectives collectives(&job);
//   const auto storages = StoragesOf(stack, first);
//   job.BeginKernel(&kernel, {});
//   std::vector<uint64_t> pins = collectives.Pin(storages);
//   op.callBoxed(&stack);
//   collectives.Add(stack, /*results=*/2, std::move(pins));
//   collectives.Settle();  // before each kernel
//
// A collective of c10d returns an object, its Work, and goes on in a thread of
// its own, with the addresses that its operands had. They may move again once
// the Work has completed.
#ifndef STOWAGE_CLIENT_SDK_TORCH_OPERATORS_COLLECTIVES_H_
#define STOWAGE_CLIENT_SDK_TORCH_OPERATORS_COLLECTIVES_H_

#include <ATen/core/stack.h>
#include <c10/core/StorageImpl.h>
#include <c10/util/intrusive_ptr.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <vector>

#include "client_sdk/runtime/job.h"

namespace stowage::torch_plugin {

// Thread-safe. `job` must outlive it.
class RunningCollectives {
 public:
  // `on_completion`, unless null, is called on each thread that completes a Work,
  // before other callbacks. Such a thread may run operators of the script then.
  explicit RunningCollectives(runtime::Job* job,
                              void (*on_completion)() = nullptr)
      : job_(job), on_completion_(on_completion) {}
  RunningCollectives(const RunningCollectives&) = delete;
  RunningCollectives& operator=(const RunningCollectives&) = delete;

  // Pins the storages, which are operands of the kernel that runs, where they
  // are. Returns what Add() takes.
  std::vector<uint64_t> Pin(const std::vector<c10::StorageImpl*>& storages);
  // Keeps the pins until the Work among the operator's results has completed.
  // Without one they stay as long as their tensors live. A Work that does
  // nothing before somebody waits for it keeps none.
  void Add(const torch::jit::Stack& stack, size_t results,
           std::vector<uint64_t> pins);
  // Ends the pins of what has completed when a kernel is about to run. Plans
  // are told of all that may run beside it: whether a small collective still
  // does is chance, and ranks that do the same are to have the same graph.
  // Blocks until what the plan is to move now has completed: its Work waits for
  // what other ranks have yet to begin, and no rank waits here for a Work that
  // this one has yet to begin.
  void Settle();
  // Ends the pins of what has completed, now that the script has waited for a
  // Work: that one runs beside no kernel.
  void SettleWaited() { End(TakeCompleted(/*beside_kernel=*/false)); }

 private:
  struct Running {
    // Weak, so that its tensors die when they do without Stowage. A Work that
    // nobody holds has completed: the thread that runs it holds it.
    c10::weak_intrusive_ptr<c10d::Work> work;
    std::vector<uint64_t> pins;
    bool told = false;     // the plans
    bool awaited = false;  // here
  };

  std::vector<uint64_t> TakeCompleted(bool beside_kernel);
  void End(const std::vector<uint64_t>& pins);
  void Await(uint64_t pin);
  c10::intrusive_ptr<c10d::Work> TakeAwaitable(uint64_t pin);

  runtime::Job* const job_;
  void (*const on_completion_)();
  std::atomic<size_t> count_{0};  // of running_
  std::mutex mutex_;
  std::vector<Running> running_;  // guarded by mutex_
};

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_OPERATORS_COLLECTIVES_H_
