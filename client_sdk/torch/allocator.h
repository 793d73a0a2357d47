// Allocates CPU memory in a process that trains through Stowage. The Job
// allocates managed sizes; the C library allocates smaller ones, which are
// counted.
//
//   InstallAllocator(&job);
//   at::Tensor weight = at::empty({1024, 1024});  // 4 MiB, which the Job manages
#ifndef STOWAGE_CLIENT_SDK_TORCH_ALLOCATOR_H_
#define STOWAGE_CLIENT_SDK_TORCH_ALLOCATOR_H_

#include <c10/core/Allocator.h>

#include "client_sdk/runtime/job.h"

namespace stowage::torch_plugin {

// The least size of a storage that the Job manages.
inline constexpr int64_t kManagedBytes = 16 << 10;

// Replaces PyTorch's CPU allocator for good. The new one also frees memory that
// the old one has allocated.
void InstallAllocator(runtime::Job* job);

// Returns a pointer that owns the managed memory at `address`. Its context is
// the address, as raw_allocate() demands.
c10::DataPtr ManagedDataPtr(void* address);

// Returns whether the memory came from this allocator, and nothing else manages
// it: a storage that is cloned lazily shares its memory with others.
bool IsManaged(const c10::DataPtr& data);

// Has storages that this thread allocates managed, or not. Returns whether they
// were until now.
bool SetManaging(bool manages);

// Makes a forked child allocate from the C library alone.
void DisableManagedAllocation();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_ALLOCATOR_H_
