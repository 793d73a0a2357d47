#include "server/fleet/node_registry.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/fleet/fleet_merge.h"
#include "server/fleet/timestamp.h"

namespace stowage {

NodeRegistry::NodeRegistry(absl::Duration lease) : lease_(lease) {}

bool NodeRegistry::Lives(const Node& node, absl::Time now) const {
  return now - node.last_heartbeat <= lease_;
}

void NodeRegistry::DropDead(absl::Time now) {
  std::erase_if(nodes_, [&](const auto& entry) {
    if (Lives(entry.second, now)) return false;
    forgotten_.push_back(entry.first);
    return true;
  });
}

absl::Status NodeRegistry::Register(absl::string_view node,
                                    const v1::MemorySystem& system,
                                    absl::Time now, int64_t fast_total_bytes) {
  auto memory =
      std::make_shared<NodeMemory>(NodeMemoryOf(system, fast_total_bytes));
  absl::MutexLock lock(&mutex_);
  if (!nodes_.contains(node) && nodes_.size() >= kMaxNodes) DropDead(now);
  if (!nodes_.contains(node) && nodes_.size() >= kMaxNodes) {
    return absl::ResourceExhaustedError(
        absl::StrCat(kMaxNodes,
                     " nodes are registered and alive; start "
                     "another stowaged for '",
                     node, "'"));
  }
  nodes_.insert_or_assign(std::string(node),
                          Node{.system = system.SerializeAsString(),
                               .fast_total_bytes = fast_total_bytes,
                               .memory = std::move(memory),
                               .last_heartbeat = now,
                               .changed = true});
  return absl::OkStatus();
}

absl::Status NodeRegistry::Heartbeat(absl::string_view node,
                                     int32_t active_jobs, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  const auto it = nodes_.find(node);
  if (it == nodes_.end()) {
    return absl::NotFoundError(
        absl::StrCat("no node '", node, "'; register it first"));
  }
  it->second.active_jobs = active_jobs;
  it->second.last_heartbeat = now;
  it->second.beat = true;
  return absl::OkStatus();
}

std::vector<v1::NodeSummary> NodeRegistry::List(absl::string_view after_node,
                                                int limit,
                                                absl::Time now) const {
  std::vector<v1::NodeSummary> summaries;
  absl::MutexLock lock(&mutex_);
  for (auto it = nodes_.upper_bound(after_node);
       it != nodes_.end() && static_cast<int>(summaries.size()) < limit; ++it) {
    v1::NodeSummary& summary = summaries.emplace_back();
    summary.set_node(it->first);
    summary.set_alive(Lives(it->second, now));
    summary.set_active_jobs(it->second.active_jobs);
    *summary.mutable_last_heartbeat_at() =
        TimestampFromTime(it->second.last_heartbeat);
    summary.mutable_system()->ParseFromString(it->second.system);
    summary.set_fast_total_bytes(it->second.fast_total_bytes);
  }
  return summaries;
}

std::vector<LiveNode> NodeRegistry::Alive(absl::Time now) const {
  std::vector<LiveNode> alive;
  absl::MutexLock lock(&mutex_);
  alive.reserve(nodes_.size());
  for (const auto& [name, node] : nodes_) {
    if (!Lives(node, now)) continue;
    alive.push_back({name, node.memory, node.active_jobs});
  }
  return alive;
}

std::shared_ptr<const NodeMemory> NodeRegistry::MemoryOf(
    absl::string_view node) const {
  absl::MutexLock lock(&mutex_);
  const auto it = nodes_.find(node);
  return it == nodes_.end() ? nullptr : it->second.memory;
}

absl::StatusOr<v1::MemorySystem> NodeRegistry::SystemOf(
    absl::string_view node) const {
  v1::MemorySystem system;
  absl::MutexLock lock(&mutex_);
  const auto it = nodes_.find(node);
  if (it == nodes_.end()) {
    return absl::NotFoundError(absl::StrCat("no node '", node, "'"));
  }
  system.ParseFromString(it->second.system);
  return system;
}

bool NodeRegistry::Knows(absl::string_view node) const {
  absl::MutexLock lock(&mutex_);
  return nodes_.contains(node);
}

bool NodeRegistry::IsAlive(absl::string_view node, absl::Time now) const {
  absl::MutexLock lock(&mutex_);
  const auto it = nodes_.find(node);
  return it != nodes_.end() && Lives(it->second, now);
}

int64_t NodeRegistry::CountAlive(absl::Time now) const {
  absl::MutexLock lock(&mutex_);
  return std::count_if(nodes_.begin(), nodes_.end(), [&](const auto& entry) {
    return Lives(entry.second, now);
  });
}

v1::StoredNode NodeRegistry::ToStored(const std::string& name,
                                      const Node& node) {
  v1::StoredNode stored;
  stored.set_node(name);
  stored.set_system(node.system);
  stored.set_active_jobs(node.active_jobs);
  stored.set_last_heartbeat_ns(absl::ToUnixNanos(node.last_heartbeat));
  stored.set_fast_total_bytes(node.fast_total_bytes);
  return stored;
}

std::vector<v1::StoredNode> NodeRegistry::TakeChanged(bool heartbeats) {
  std::vector<v1::StoredNode> changed;
  absl::MutexLock lock(&mutex_);
  for (auto& [name, node] : nodes_) {
    if (!node.changed && !(heartbeats && node.beat)) continue;
    node.changed = node.beat = false;
    changed.push_back(ToStored(name, node));
  }
  return changed;
}

void NodeRegistry::PutBackChanged(const std::vector<v1::StoredNode>& nodes) {
  absl::MutexLock lock(&mutex_);
  for (const v1::StoredNode& stored : nodes) {
    const auto node = nodes_.find(stored.node());
    if (node != nodes_.end()) node->second.changed = true;
  }
}

std::vector<std::string> NodeRegistry::TakeForgotten() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(forgotten_, {});
}

void NodeRegistry::Merge(const v1::StoredNode& theirs) {
  absl::MutexLock lock(&mutex_);
  const bool full = nodes_.size() >= kMaxNodes;
  if (full && !nodes_.contains(theirs.node())) return;
  Node& node = nodes_[theirs.node()];
  v1::StoredNode joined = ToStored(theirs.node(), node);
  MergeNode(theirs, &joined);
  if (node.memory == nullptr || node.system != joined.system() ||
      node.fast_total_bytes != joined.fast_total_bytes()) {
    v1::MemorySystem system;
    system.ParseFromString(joined.system());
    node.memory = std::make_shared<NodeMemory>(
        NodeMemoryOf(system, joined.fast_total_bytes()));
  }
  node.system = joined.system();
  node.fast_total_bytes = joined.fast_total_bytes();
  node.active_jobs = joined.active_jobs();
  node.last_heartbeat = absl::FromUnixNanos(joined.last_heartbeat_ns());
}

}  // namespace stowage
