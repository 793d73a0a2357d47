// Addresses of tensors that the kernel cannot reach.
//
//   stowage_add_slow_range(base, capacity_bytes);   // the plug-in, once a tier
//   if (TouchesSlowRange(buffer, bytes)) ...        // before a system call
//
// An evicted tensor in a file tier has addresses but no memory. Instructions
// that touch it fault, and the runtime serves the fault; a system call that is
// given such an address fails with EFAULT.
//
// Thread-safe and safe in signal handlers. Ranges are never removed.
#ifndef STOWAGE_CLIENT_SDK_PRELOAD_SLOW_RANGES_H_
#define STOWAGE_CLIENT_SDK_PRELOAD_SLOW_RANGES_H_

#include <stddef.h>

namespace stowage::preload {

// Some byte of [address, address + bytes) is in a slow range. Reads none.
[[gnu::access(none, 1)]] bool TouchesSlowRange(const void* address,
                                               size_t bytes);

}  // namespace stowage::preload

// Adds [address, address + bytes). One thread at a time; the plug-in looks it
// up by name. What is beyond the most tiers that a session has is ignored.
extern "C" void stowage_add_slow_range(const void* address, size_t bytes);

#endif  // STOWAGE_CLIENT_SDK_PRELOAD_SLOW_RANGES_H_
