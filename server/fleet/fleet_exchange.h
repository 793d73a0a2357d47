// Keeps the registries of nodes and jobs and the database in step, so that they
// survive a restart, and replicas know each other's nodes and jobs.
//
//   FleetExchange exchange(&store, &nodes, &jobs, {.shared = true});
//   absl::Status loaded = exchange.Load();
//   absl::Status stored = exchange.StoreJob(job_id);
//
// What changes in a registry is in the database a moment later, but for
// heartbeats and steps, which only other replicas want to know of: they are
// stored every `period` if there may be some.
#ifndef STOWAGE_SERVER_FLEET_FLEET_EXCHANGE_H_
#define STOWAGE_SERVER_FLEET_FLEET_EXCHANGE_H_

#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/fleet/fleet_store.h"
#include "server/fleet/job_registry.h"
#include "server/fleet/node_registry.h"
#include "timing/bell.h"

namespace stowage {

struct FleetExchangeOptions {
  bool shared = false;  // other replicas may use the database
  // How often heartbeats and steps are stored, and others' news are read.
  absl::Duration period = absl::Seconds(1);
};

// Thread-safe. Owns none of the pointers; all must outlive it.
class FleetExchange {
 public:
  FleetExchange(FleetStore* store, NodeRegistry* nodes, JobRegistry* jobs,
                FleetExchangeOptions options);
  // Calls Stop().
  ~FleetExchange();

  // Reads what is stored, and begins to exchange. Call it once.
  absl::Status Load();

  // Stores the job as it is now. UNAVAILABLE, DATA_LOSS: it could not be
  // stored.
  absl::Status StoreJob(absl::string_view job_id);

  // Reads what other replicas have stored until now. Returns false if there are
  // none, or the database cannot be read.
  bool Refresh();

  // Stores what is left, and ends the exchange.
  void Stop();

 private:
  void Exchange();
  // Stores what has changed, with heartbeats and steps if `soft`. What cannot
  // be stored now is stored later.
  void Flush(bool soft);
  absl::Status Pull();

  FleetStore* const store_;
  NodeRegistry* const nodes_;
  JobRegistry* const jobs_;
  const FleetExchangeOptions options_;
  absl::Mutex pull_mutex_;
  FleetCursor cursor_ ABSL_GUARDED_BY(pull_mutex_);
  Bell stopped_;
  std::thread thread_;  // last: it uses all above
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_FLEET_FLEET_EXCHANGE_H_
