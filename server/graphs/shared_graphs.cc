#include "server/graphs/shared_graphs.h"

#include <utility>

#include "server/graphs/stored_graph.h"

namespace stowage {
namespace {

// Above this many entries those that nobody uses are dropped.
constexpr size_t kManyEntries = 256;

}  // namespace

absl::StatusOr<std::shared_ptr<const policies::Graph>> SharedGraphs::Load(
    absl::string_view graph_id) {
  const std::shared_ptr<Entry> entry = EntryOf(graph_id);
  absl::MutexLock lock(&entry->mutex);
  const absl::StatusOr<GraphRow> row = store_->FindGraph(graph_id);
  if (!row.ok()) return row.status();
  std::shared_ptr<const policies::Graph> shared = entry->graph.lock();
  if (shared != nullptr && entry->updated_at_ns == row->updated_at_ns) {
    return shared;
  }
  absl::StatusOr<policies::Graph> graph = LoadGraph(store_, graph_id);
  if (!graph.ok()) return graph.status();
  shared = std::make_shared<const policies::Graph>(*std::move(graph));
  entry->graph = shared;
  entry->updated_at_ns = row->updated_at_ns;
  return shared;
}

std::shared_ptr<SharedGraphs::Entry> SharedGraphs::EntryOf(
    absl::string_view graph_id) {
  absl::MutexLock lock(&mutex_);
  if (entries_.size() >= kManyEntries) {
    // If somebody begins to use a graph that is dropped here, it is parsed once
    // more.
    absl::erase_if(entries_, [](const auto& item) {
      return item.second.use_count() == 1;
    });
  }
  std::shared_ptr<Entry>& entry = entries_[graph_id];
  if (entry == nullptr) entry = std::make_shared<Entry>();
  return entry;
}

}  // namespace stowage
