// Knows the addresses of tensors that the kernel cannot reach.
//
//   stowage_add_slow_range(base, capacity_bytes);   // the plug-in, once a tier
//   if (TouchesSlowRange(buffer, bytes)) {          // before a system call
//     return ReadInPieces(parts, /*fill=*/true, read_piece);
//   }
//
// An evicted tensor in a file tier has addresses but no memory. An instruction
// that touches it faults, and the runtime serves the fault. A system call that
// gets such an address fails with EFAULT.
//
// Thread-safe and safe in signal handlers. Ranges are never removed.
#ifndef STOWAGE_CLIENT_SDK_PRELOAD_SLOW_RANGES_H_
#define STOWAGE_CLIENT_SDK_PRELOAD_SLOW_RANGES_H_

#include <stddef.h>

namespace stowage::preload {

// Returns whether some byte of [address, address + bytes) is in a slow range.
// Reads none of them.
[[gnu::access(none, 1)]] bool TouchesSlowRange(const void* address,
                                               size_t bytes);

}  // namespace stowage::preload

// Adds the range [address, address + bytes). Call it from one thread at a time.
// Ignores more ranges than a session has tiers. The plug-in looks the function
// up by name.
extern "C" void stowage_add_slow_range(const void* address, size_t bytes);

#endif  // STOWAGE_CLIENT_SDK_PRELOAD_SLOW_RANGES_H_
