// Tells how much memory this process may still take.
//
//   FastLimit limit(client->welcome().limit, AvailableMemoryBytes(), report);
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_AVAILABLE_MEMORY_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_AVAILABLE_MEMORY_H_

#include <cstdint>

namespace stowage::runtime {

// Returns four fifths of the smaller of two amounts: what the host has
// available, and what the process's memory cgroup (version 1 or 2) leaves free.
int64_t AvailableMemoryBytes();

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_AVAILABLE_MEMORY_H_
