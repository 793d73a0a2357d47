#include "agents/tiers/numa_node.h"

namespace stowage::agent {

absl::Status CheckNumaNode(int) {
  return absl::UnavailableError(
      "this build has no libnuma; use dram, or build with STOWAGE_NUMA=ON");
}

absl::Status BindToNumaNode(void*, int64_t, int node) {
  return CheckNumaNode(node);
}

}  // namespace stowage::agent
