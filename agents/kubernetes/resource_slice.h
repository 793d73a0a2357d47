// Says what ResourceSlice tells the scheduler of a node's memory.
//
//   nlohmann::json slice = SliceOf(memory, {.node = "node1", .node_uid = uid}, 1);
//   if (!TellsTheSame(slice, stored)) Replace(stored, slice);
#ifndef STOWAGE_AGENTS_KUBERNETES_RESOURCE_SLICE_H_
#define STOWAGE_AGENTS_KUBERNETES_RESOURCE_SLICE_H_

#include <cstdint>
#include <string>

#include "agents/kubernetes/node_memory.h"
#include "nlohmann/json.hpp"

namespace stowage::agent {

// The Node object that owns the slice.
struct SliceOwner {
  std::string node;
  std::string node_uid;
};

// Returns a slice of resource.k8s.io/v1 whose devices `fast` and `slow` are
// shared by the byte. `generation` is that of the node's pool. Pure.
nlohmann::json SliceOf(const NodeMemory& memory, const SliceOwner& owner,
                       int64_t generation);

// Returns the slice as a cluster keeps it that does not know of consumable
// capacity: one claim has a whole device. Pure.
nlohmann::json WithoutSharing(nlohmann::json slice);

// Returns whether two slices tell the scheduler the same, and have the same
// owner. Generations and what the API server adds do not count. Pure.
bool TellsTheSame(const nlohmann::json& a, const nlohmann::json& b);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_KUBERNETES_RESOURCE_SLICE_H_
