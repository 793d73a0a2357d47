// Rolls each plan out kernel by kernel once, for all streams that serve it at a
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

  // Returns the plan by kernel. Blocks while the plan is read. NOT_FOUND: no
  // such plan. Other errors are those of KernelDecisions::Create() and of the
  // store.
  absl::StatusOr<std::shared_ptr<const KernelDecisions>> Load(
      absl::string_view plan_id);

  // Forgets a plan that has been replaced. Load() returns the new one from now
  // on.
  void Forget(absl::string_view plan_id);

 private:
  struct Entry {
    absl::Mutex mutex;  // held while the plan is read
    // The size of the plan that was read. If the stored one has another size,
    // it has replaced this one.
    int64_t size_bytes ABSL_GUARDED_BY(mutex) = 0;
    std::weak_ptr<const KernelDecisions> decisions ABSL_GUARDED_BY(mutex);
  };

  std::shared_ptr<Entry> EntryOf(absl::string_view plan_id);
  absl::StatusOr<KernelDecisions> Read(absl::string_view plan_id);

  GraphStore* const store_;
  SharedGraphs* const graphs_;
  absl::Mutex mutex_;
  // The plans that somebody uses, or has used of late.
  absl::flat_hash_map<std::string, std::shared_ptr<Entry>> entries_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_SHARED_DECISIONS_H_
