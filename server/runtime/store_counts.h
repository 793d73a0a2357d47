// Counts what is stored, for metrics and probes. They must end soon, and a
// database that hangs may keep a query waiting for a quarter of a minute.
//
//   StoreCounts counts(&graph_store, &training_store);
//   absl::StatusOr<int64_t> graphs = counts.Read().graphs;
#ifndef STOWAGE_SERVER_RUNTIME_STORE_COUNTS_H_
#define STOWAGE_SERVER_RUNTIME_STORE_COUNTS_H_

#include <cstdint>
#include <optional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/graphs/graph_store.h"
#include "server/training/training_store.h"
#include "timing/bell.h"

namespace stowage {

// Thread-safe. Owns the thread that asks the database, and neither store; both
// must outlive it.
class StoreCounts {
 public:
  struct Counts {
    absl::StatusOr<int64_t> graphs;
    absl::StatusOr<int64_t> queued_trainings;
    absl::StatusOr<int64_t> versions;
  };

  // How long Read() waits.
  static constexpr absl::Duration kPatience = absl::Seconds(3);

  StoreCounts(GraphStore* graphs, TrainingStore* trainings);
  // Waits for the query that is under way.
  ~StoreCounts();

  // Returns counts made now or a moment ago. UNAVAILABLE: the database cannot
  // be read, or has not answered within kPatience. Does not wait for one that
  // has been asked that long ago.
  Counts Read();

 private:
  Counts Count();
  void Work();

  GraphStore* const graphs_;
  TrainingStore* const trainings_;
  absl::Mutex mutex_;
  Counts counts_ ABSL_GUARDED_BY(mutex_);  // of the last answer
  // When the question was put that nobody has answered yet.
  std::optional<absl::Time> asked_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  Bell asks_;
  Bell answers_;
  std::thread thread_;  // last: it uses all above
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_STORE_COUNTS_H_
