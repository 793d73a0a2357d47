// The CPU allocator of a process that trains through Stowage: managed sizes go
// to the Job, smaller ones to the C library and are counted.
#ifndef STOWAGE_CLIENT_SDK_TORCH_ALLOCATOR_H_
#define STOWAGE_CLIENT_SDK_TORCH_ALLOCATOR_H_

#include <c10/core/Allocator.h>

#include "client_sdk/runtime/job.h"

namespace stowage::torch_plugin {

// Storages of at least this size are managed one by one.
inline constexpr int64_t kManagedBytes = 16 << 10;

// Replaces PyTorch's CPU allocator for good. Memory that was allocated before
// is still freed by it correctly.
void InstallAllocator(runtime::Job* job);

// Owns the managed memory at `address`; context and address are the same, as
// raw_allocate() demands.
c10::DataPtr ManagedDataPtr(void* address);

// In a forked child: allocate from the C library only.
void DisableManagedAllocation();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_ALLOCATOR_H_
