// Binds memory to a NUMA node. Builds without libnuma answer UNAVAILABLE.
//
//   absl::Status status = BindToNumaNode(data, size_bytes, 1);
#ifndef STOWAGE_AGENTS_TIERS_NUMA_NODE_H_
#define STOWAGE_AGENTS_TIERS_NUMA_NODE_H_

#include <cstdint>

#include "absl/status/status.h"

namespace stowage::agent {

// Returns NOT_FOUND, and lists the nodes that there are, if `node` does not
// exist or has no memory.
absl::Status CheckNumaNode(int node);

// Makes `node` alone provide the pages of the shared mapping that somebody
// touches from now on, also through another mapping of the same memfd.
absl::Status BindToNumaNode(void* data, int64_t size_bytes, int node);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_NUMA_NODE_H_
