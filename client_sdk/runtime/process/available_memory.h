// Tells how much memory this process may still take.
//
//   FastLimit limit(client->welcome().limit, AvailableMemory::Now(), report);
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_AVAILABLE_MEMORY_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_AVAILABLE_MEMORY_H_

#include <cstdint>
#include <limits>

namespace stowage::runtime {

struct AvailableMemory {
  // Stands for no bound.
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

  // Four fifths of the smaller of two amounts: what the host has available, and
  // what the process's memory cgroup leaves free.
  int64_t bytes = kUnlimited;
  // Nine tenths of the latter (cgroups of version 1 or 2), in whole pages;
  // kUnlimited: it is in none that limits it. With more the process would be
  // killed.
  int64_t cgroup_bytes = kUnlimited;

  static AvailableMemory Now();
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_AVAILABLE_MEMORY_H_
