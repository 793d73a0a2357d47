// Tells what a kernel leaves of the fast tier to tensors that may be elsewhere.
//
//   KernelRoom room = FindKernelRoom(graph, system, fast_limit_bytes);
//   bool fits = size_bytes <= room.free_bytes[k];  // else never fast at k
//
// For the lower bound (docs/lower-bound.md). Pure function.
#ifndef STOWAGE_POLICIES_PLANNING_KERNEL_ROOM_H_
#define STOWAGE_POLICIES_PLANNING_KERNEL_ROOM_H_

#include <cstdint>
#include <vector>

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

struct KernelRoom {
  // The room for all tensors together.
  int64_t limit_bytes = 0;
  // By kernel, K + 1 entries: the room left by immovable tensors and by
  // operands that kernels cannot use elsewhere. Negative if a kernel cannot
  // run.
  std::vector<int64_t> free_bytes;
  // By kernel: the most that any set of living tensors holds that fits.
  std::vector<int64_t> fillable_bytes;
};

// Returns the room that a tensor has for itself: small ones may share a page.
int64_t OwnBytes(int64_t size_bytes);

// Returns whether kernels can use nothing but the fast tier.
bool OnlyFastTierIsUsable(const MemorySystem& system);

KernelRoom FindKernelRoom(const Graph& graph, const MemorySystem& system,
                          int64_t fast_limit_bytes);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLANNING_KERNEL_ROOM_H_
