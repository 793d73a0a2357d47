// Holds what schedulers compare of a node's memory.
//
//   const NodeMemory memory = NodeMemoryOf(system, /*fast_total_bytes=*/0);
//   if (memory.kind == other.kind) Compare(memory.copies, other.copies);
#ifndef STOWAGE_SERVER_FLEET_NODE_MEMORY_H_
#define STOWAGE_SERVER_FLEET_NODE_MEMORY_H_

#include <cstdint>
#include <string>

#include "policies/estimate/other_node.h"
#include "stowage/v1/memory_system.pb.h"

namespace stowage {

// Plain data.
struct NodeMemory {
  // The same for nodes whose processors and tiers are alike but for sizes and
  // bandwidths; empty: the system is malformed.
  std::string kind;
  int64_t fast_bytes = 0;  // for all jobs together
  policies::CopySpeed copies;
};

// Returns those of a node. `fast_total_bytes` is what its jobs may have
// together; 0: all of the fast tier.
NodeMemory NodeMemoryOf(const v1::MemorySystem& system,
                        int64_t fast_total_bytes);

}  // namespace stowage

#endif  // STOWAGE_SERVER_FLEET_NODE_MEMORY_H_
