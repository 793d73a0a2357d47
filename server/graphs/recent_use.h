// Remembers what was used, so that the database learns of it now and then and
// not at each use.
//
//   RecentUse plans;
//   plans.Note(plan_id);
//   for (const std::string& id : plans.Take()) MarkUsed(id);
#ifndef STOWAGE_SERVER_GRAPHS_RECENT_USE_H_
#define STOWAGE_SERVER_GRAPHS_RECENT_USE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace stowage {

// Thread-safe.
class RecentUse {
 public:
  void Note(absl::string_view id) {
    absl::MutexLock lock(&mutex_);
    if (!ids_.contains(id)) ids_.emplace(id);
  }

  // Returns what was used since the last call.
  std::vector<std::string> Take() {
    absl::MutexLock lock(&mutex_);
    const auto ids = std::exchange(ids_, {});
    return {ids.begin(), ids.end()};
  }

 private:
  absl::Mutex mutex_;
  absl::flat_hash_set<std::string> ids_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_GRAPHS_RECENT_USE_H_
