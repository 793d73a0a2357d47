// Says what memory a node has for claims.
//
//   absl::StatusOr<NodeMemory> memory =
//       FindNodeMemory(int64_t{8} << 30, "file:/mnt/nvme", &catalog);
#ifndef STOWAGE_AGENTS_KUBERNETES_NODE_MEMORY_H_
#define STOWAGE_AGENTS_KUBERNETES_NODE_MEMORY_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "agents/engine/tier_catalog.h"

namespace stowage::agent {

// Claims are for whole units of this size, and a tier has two at least.
inline constexpr int64_t kClaimUnitBytes = 1 << 20;

struct TierMemory {
  int64_t bytes = 0;
  std::string medium;  // "dram", "file", "pmem", ...
  int64_t read_bytes_per_second = 0;
  int64_t write_bytes_per_second = 0;
};

struct NodeMemory {
  TierMemory fast;
  TierMemory slow;
};

// Returns what `fast_bytes` and the slow tier `slow_spec` have, in whole units.
// The slow tier has the size that its name says, else that of an arena that
// names none. Errors are those of the catalog, and OUT_OF_RANGE if a tier has
// less than two units. Blocks while the tier is measured for the first time.
absl::StatusOr<NodeMemory> FindNodeMemory(int64_t fast_bytes,
                                          const std::string& slow_spec,
                                          TierCatalog* catalog);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_KUBERNETES_NODE_MEMORY_H_
