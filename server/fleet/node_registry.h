// Keeps the nodes whose agents have registered, and which of them are alive.
//
//   NodeRegistry nodes(/*lease=*/absl::Seconds(15));
//   absl::Status registered = nodes.Register("host-1", system, absl::Now());
//   absl::Status beat =
//       nodes.Heartbeat("host-1", /*active_jobs=*/2, absl::Now());
//
// The registry is in memory; FleetExchange stores it. Agents of nodes that it
// does not know get NOT_FOUND and register again. Callers pass the time. Their
// values are within the bounds of their proto, and memory systems are kept in
// their binary form, so a node takes at most 17 KiB, and kMaxNodes of them take
// 170 MiB.
#ifndef STOWAGE_SERVER_FLEET_NODE_REGISTRY_H_
#define STOWAGE_SERVER_FLEET_NODE_REGISTRY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/fleet/node_memory.h"
#include "stowage/v1/fleet_state.pb.h"
#include "stowage/v1/memory_system.pb.h"
#include "stowage/v1/node.pb.h"

namespace stowage {

// A node that is alive, as schedulers see it.
struct LiveNode {
  std::string name;
  std::shared_ptr<const NodeMemory> memory;
  int32_t active_jobs = 0;
};

// Thread-safe; calls block on the registry's lock alone.
class NodeRegistry {
 public:
  static constexpr int kMaxNodes = 10'000;

  // A node is alive while its last heartbeat is no older than `lease`.
  explicit NodeRegistry(absl::Duration lease);

  // Adds the node or replaces its entry. Counts as a heartbeat. Dead nodes make
  // room. `fast_total_bytes` is for all its jobs; 0: all of the fast tier.
  // RESOURCE_EXHAUSTED: kMaxNodes nodes are alive.
  absl::Status Register(absl::string_view node, const v1::MemorySystem& system,
                        absl::Time now, int64_t fast_total_bytes = 0);

  // Notes that the node is alive. NOT_FOUND: the node has not registered.
  absl::Status Heartbeat(absl::string_view node, int32_t active_jobs,
                         absl::Time now);

  // Returns up to `limit` nodes that come after `after_node`, by name.
  std::vector<v1::NodeSummary> List(absl::string_view after_node, int limit,
                                    absl::Time now) const;

  // Returns every node that is alive, by name.
  std::vector<LiveNode> Alive(absl::Time now) const;

  // Returns the node's memory; null if the node is unknown.
  std::shared_ptr<const NodeMemory> MemoryOf(absl::string_view node) const;
  // Returns the system that the node registered with. NOT_FOUND: it is unknown.
  absl::StatusOr<v1::MemorySystem> SystemOf(absl::string_view node) const;

  bool Knows(absl::string_view node) const;
  // Returns whether the node is alive; false if it is unknown.
  bool IsAlive(absl::string_view node, absl::Time now) const;
  int64_t CountAlive(absl::Time now) const;

  absl::Duration lease() const { return lease_; }

  // Returns the nodes that have changed since the last call; those that have
  // only sent heartbeats if `heartbeats`.
  std::vector<v1::StoredNode> TakeChanged(bool heartbeats);
  // Has the nodes returned by TakeChanged() again.
  void PutBackChanged(const std::vector<v1::StoredNode>& nodes);
  // Returns the nodes that were forgotten since the last call.
  std::vector<std::string> TakeForgotten();
  // Adds what another replica knows of a node, or this one before it restarted.
  void Merge(const v1::StoredNode& theirs);

 private:
  struct Node {
    std::string system;  // v1::MemorySystem, binary
    int64_t fast_total_bytes = 0;
    std::shared_ptr<const NodeMemory> memory;  // of both
    int32_t active_jobs = 0;
    absl::Time last_heartbeat;
    bool changed = false;  // since it was taken
    bool beat = false;     // has sent a heartbeat since then
  };

  static v1::StoredNode ToStored(const std::string& name, const Node& node);

  bool Lives(const Node& node, absl::Time now) const;
  void DropDead(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const absl::Duration lease_;
  mutable absl::Mutex mutex_;
  std::map<std::string, Node, std::less<>> nodes_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> forgotten_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_FLEET_NODE_REGISTRY_H_
