#include "agents/tiers/numa_node.h"

#include <numa.h>
#include <numaif.h>

#include <cerrno>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"

namespace stowage::agent {
namespace {

std::string NodesWithMemory() {
  std::string list;
  for (int node = 0; node <= numa_max_node(); ++node) {
    if (numa_node_size64(node, nullptr) > 0) absl::StrAppend(&list, " ", node);
  }
  return list;
}

}  // namespace

absl::Status CheckNumaNode(int node) {
  if (numa_available() < 0) {
    return absl::UnavailableError(
        "NUMA policy is not available on this kernel; use dram or emulated");
  }
  if (node > numa_max_node() || numa_node_size64(node, nullptr) <= 0) {
    return absl::NotFoundError(absl::StrCat("NUMA node ", node,
                                            " does not exist or has no memory; "
                                            "nodes with memory:",
                                            NodesWithMemory()));
  }
  return absl::OkStatus();
}

absl::Status BindToNumaNode(void* data, int64_t size_bytes, int node) {
  std::unique_ptr<bitmask, void (*)(bitmask*)> mask(numa_allocate_nodemask(),
                                                    numa_bitmask_free);
  numa_bitmask_setbit(mask.get(), node);
  if (mbind(data, size_bytes, MPOL_BIND, mask->maskp, mask->size + 1, 0) != 0) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat("cannot bind memory to NUMA node ", node));
  }
  return absl::OkStatus();
}

}  // namespace stowage::agent
