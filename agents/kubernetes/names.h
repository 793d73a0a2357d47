// Names by which Kubernetes knows the node agent.
#ifndef STOWAGE_AGENTS_KUBERNETES_NAMES_H_
#define STOWAGE_AGENTS_KUBERNETES_NAMES_H_

namespace stowage::agent {

inline constexpr char kDriverName[] = "memory.stowage.dev";
// The devices of a node, and what one has an amount of.
inline constexpr char kFastDevice[] = "fast";
inline constexpr char kSlowDevice[] = "slow";
inline constexpr char kMemoryCapacity[] = "memory";
// What the container runtime knows a claim as: "KIND=UID".
inline constexpr char kCdiKind[] = "memory.stowage.dev/claim";

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_KUBERNETES_NAMES_H_
