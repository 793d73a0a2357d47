// Keeps the rolled-out plans that callers asked for one kernel at a time, with a
// call each: no stream keeps those alive.
//
//   RecentDecisions recent(/*max_bytes=*/256 << 20);
//   recent.Keep(plan_id, decisions, SteadyNow());
//   std::shared_ptr<const KernelDecisions> known =
//       recent.Find(plan_id, SteadyNow());
#ifndef STOWAGE_SERVER_PLACEMENT_RECENT_DECISIONS_H_
#define STOWAGE_SERVER_PLACEMENT_RECENT_DECISIONS_H_

#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/placement/kernel_decisions.h"

namespace stowage {

// Thread-safe; does not block. Callers pass the time, of SteadyNow().
class RecentDecisions {
 public:
  // How long after it was kept a plan is served without a look at the store,
  // where another replica may have replaced it.
  static constexpr absl::Duration kFresh = absl::Seconds(1);

  // Above `max_bytes` the plans go that were used longest ago.
  explicit RecentDecisions(int64_t max_bytes) : max_bytes_(max_bytes) {}

  // Returns the plan if it was kept within the last kFresh, else null.
  std::shared_ptr<const KernelDecisions> Find(absl::string_view plan_id,
                                              absl::Time now);

  void Keep(absl::string_view plan_id,
            std::shared_ptr<const KernelDecisions> decisions, absl::Time now);

  // Forgets a plan that has been replaced.
  void Forget(absl::string_view plan_id);

 private:
  struct Entry {
    std::string plan_id;
    std::shared_ptr<const KernelDecisions> decisions;
    absl::Time kept;
  };
  using Entries = std::list<Entry>;

  void Erase(Entries::iterator entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int64_t max_bytes_;
  absl::Mutex mutex_;
  Entries entries_ ABSL_GUARDED_BY(mutex_);  // the one used last stands first
  absl::flat_hash_map<std::string, Entries::iterator> by_id_
      ABSL_GUARDED_BY(mutex_);
  int64_t size_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_RECENT_DECISIONS_H_
