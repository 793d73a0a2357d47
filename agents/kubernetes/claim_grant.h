// Says what a ResourceClaim has been allocated on this node.
//
//   absl::StatusOr<ClaimGrant> grant = ReadGrant(claim, ref, "node1", memory);
//   std::cout << grant->fast_bytes << std::endl;
#ifndef STOWAGE_AGENTS_KUBERNETES_CLAIM_GRANT_H_
#define STOWAGE_AGENTS_KUBERNETES_CLAIM_GRANT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/claims/memory_claim.h"
#include "agents/kubernetes/node_memory.h"
#include "nlohmann/json.hpp"

namespace stowage::agent {

// How the kubelet names a claim. What it says is not checked yet.
struct ClaimRef {
  std::string namespace_name;
  std::string name;
  std::string uid;
};

// Returns "claim 'default/mlp'", for messages.
std::string NameOf(const ClaimRef& ref);

// A part of a device that one request of the claim has been given.
struct GrantedDevice {
  std::string pool;
  std::string device;
  std::string share_id;  // empty: the claim has all of the device

  bool operator==(const GrantedDevice&) const = default;
};

struct ClaimGrant {
  ClaimRef claim;
  std::vector<GrantedDevice> devices;
  int64_t fast_bytes = 0;
  int64_t slow_bytes = 0;
};

// Returns what `claim`, an object of the API server, has of the devices of this
// driver in the pool `node`. FAILED_PRECONDITION if it is another claim than
// `ref`, or has nothing here, or not both kinds of memory; RESOURCE_EXHAUSTED if
// it has more than the node does. Messages say what to do. Pure.
absl::StatusOr<ClaimGrant> ReadGrant(const nlohmann::json& claim,
                                     const ClaimRef& ref,
                                     const std::string& node,
                                     const NodeMemory& memory);

// Returns the grant as a claim of this node, which keeps all of it, and reads it
// from there: INVALID_ARGUMENT if the claim is not of a grant. Pure.
MemoryClaim ClaimOf(const ClaimGrant& grant);
absl::StatusOr<ClaimGrant> GrantOf(const MemoryClaim& claim);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_KUBERNETES_CLAIM_GRANT_H_
