// Parses each stored graph once and shares it between all who use it at a time.
//
//   SharedGraphs graphs(store.get());
//   absl::StatusOr<std::shared_ptr<const policies::Graph>> graph =
//       graphs.Load(graph_id);
//
// A graph of a million kernels takes a gigabyte. So plans of one graph that are
// made at the same time, and streams that serve them, share it. Its last user
// deletes it.
#ifndef STOWAGE_SERVER_GRAPHS_SHARED_GRAPHS_H_
#define STOWAGE_SERVER_GRAPHS_SHARED_GRAPHS_H_

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "policies/model/graph.h"
#include "server/graphs/graph_store.h"

namespace stowage {

// Thread-safe. Does not own the store, which must outlive it.
class SharedGraphs {
 public:
  explicit SharedGraphs(GraphStore* store) : store_(store) {}

  // Returns the graph with the profile that it has now. Blocks while the graph
  // is parsed. Errors are those of LoadGraph().
  absl::StatusOr<std::shared_ptr<const policies::Graph>> Load(
      absl::string_view graph_id);

 private:
  struct Entry {
    absl::Mutex mutex;  // held while the graph is parsed
    int64_t updated_at_ns ABSL_GUARDED_BY(mutex) = 0;
    std::weak_ptr<const policies::Graph> graph ABSL_GUARDED_BY(mutex);
  };

  std::shared_ptr<Entry> EntryOf(absl::string_view graph_id);

  GraphStore* const store_;
  absl::Mutex mutex_;
  // The graphs that somebody uses, or has used of late.
  absl::flat_hash_map<std::string, std::shared_ptr<Entry>> entries_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_GRAPHS_SHARED_GRAPHS_H_
