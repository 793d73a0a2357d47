// Plans rolled out kernel by kernel, once for all streams that serve them at a
// time.
//
//   SharedDecisions decisions(store.get(), &graphs);
//   absl::StatusOr<std::shared_ptr<const KernelDecisions>> loaded =
//       decisions.Load(plan_id);
#ifndef STOWAGE_SERVER_PLACEMENT_SHARED_DECISIONS_H_
#define STOWAGE_SERVER_PLACEMENT_SHARED_DECISIONS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "server/graphs/graph_store.h"
#include "server/graphs/shared_graphs.h"
#include "server/placement/kernel_decisions.h"

namespace stowage {

// Thread-safe. Owns neither the store nor the graphs; both must outlive it.
class SharedDecisions {
 public:
  SharedDecisions(GraphStore* store, SharedGraphs* graphs)
      : store_(store), graphs_(graphs) {}

  // Blocks while the plan is read. NOT_FOUND: no such plan. Errors of
  // KernelDecisions::Create and of the store.
  absl::StatusOr<std::shared_ptr<const KernelDecisions>> Load(
      absl::string_view plan_id);

  // Of a plan that has been replaced: who loads it from now on gets the new
  // one.
  void Forget(absl::string_view plan_id);

 private:
  struct Entry {
    absl::Mutex mutex;  // held while the plan is read
    // Of the plan that was read: one of another size has replaced it.
    int64_t size_bytes ABSL_GUARDED_BY(mutex) = 0;
    std::weak_ptr<const KernelDecisions> decisions ABSL_GUARDED_BY(mutex);
  };

  std::shared_ptr<Entry> EntryOf(absl::string_view plan_id);
  absl::StatusOr<KernelDecisions> Read(absl::string_view plan_id);

  GraphStore* const store_;
  SharedGraphs* const graphs_;
  absl::Mutex mutex_;
  // Of plans that are used, or were of late.
  absl::flat_hash_map<std::string, std::shared_ptr<Entry>> entries_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_SHARED_DECISIONS_H_
