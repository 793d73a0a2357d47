#include "client_sdk/torch/allocator.h"

#include <c10/core/CPUAllocator.h>
#include <malloc.h>
#include <stdlib.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include "client_sdk/torch/hook/hook.h"
#include "client_sdk/torch/hook/running_kernel.h"
#include "client_sdk/torch/hook/team_stacks.h"
#include "client_sdk/torch/torch_version.h"

namespace stowage::torch_plugin {
namespace {

constexpr size_t kAlignmentBytes = 64;  // as PyTorch's own allocator

runtime::Job* g_job = nullptr;
bool g_enabled = false;
// Whether the Job had no room for a tensor, because its limit is about to be
// refused. Managed sizes then come from the C library.
std::atomic<bool> g_outside = false;
thread_local bool t_manages = true;

// Counts storages below the managed size, and large ones of threads that do not
// train. Does not count storages that are outside only because the limit is too
// small: the least limit need not leave room for those.
void CountUnmanaged(int64_t bytes) {
  const int64_t managed_bytes = kManagedBytes;
  if (g_outside && std::abs(bytes) >= managed_bytes) return;
  g_job->CountUnmanaged(bytes);
}

// Frees memory of either allocator. `address` may be null.
void FreeAny(void* address) {
  if (address == nullptr) return;
  if (g_job->Manages(address)) {
    if (g_enabled) g_job->Free(address);
    return;
  }
  CountUnmanaged(-static_cast<int64_t>(malloc_usable_size(address)));
  free(address);
}

class ManagedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) STOWAGE_ALLOCATE_CONST override {
    if (bytes == 0) return {nullptr, nullptr, &FreeAny, at::kCPU};
    // A thread that started before the plug-in gets its hook here.
    if (g_enabled) {
      EnableHookOnThread();
      ThrowKeptError();
    }
    void* address = nullptr;
    if (g_enabled && !t_manages) g_job->AdmitUnmanaged(bytes);
    if (g_enabled && t_manages && bytes >= kManagedBytes &&
        (!OnAuxiliaryThread() || JoinsTraining(bytes))) {
      runtime::RunningKernel* kernel = CurrentKernel();
      address = g_job->Allocate(kernel, bytes);
      if (kernel != nullptr && kernel->streamed_bytes > 0) {
        GiveTeamSignalStacks();
      }
      if (address != nullptr) return ManagedDataPtr(address);
      g_outside = true;
    }
    TORCH_CHECK(posix_memalign(&address, kAlignmentBytes, bytes) == 0,
                "stowage: cannot allocate ", bytes, " bytes");
    CountUnmanaged(malloc_usable_size(address));
    return ManagedDataPtr(address);
  }

  c10::DeleterFnPtr raw_deleter() const override { return &FreeAny; }

#if STOWAGE_ALLOCATORS_COPY
  void copy_data(void* to, const void* from, size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
#endif
};

}  // namespace

void InstallAllocator(runtime::Job* job) {
  static ManagedAllocator allocator;
  g_job = job;
  g_enabled = true;
  c10::SetCPUAllocator(&allocator, /*priority=*/100);
}

c10::DataPtr ManagedDataPtr(void* address) {
  return {address, address, &FreeAny, at::kCPU};
}

bool IsManaged(const c10::DataPtr& data) {
  return data.get_deleter() == &FreeAny;
}

bool SetManaging(bool manages) { return std::exchange(t_manages, manages); }

void DisableManagedAllocation() { g_enabled = false; }

}  // namespace stowage::torch_plugin
