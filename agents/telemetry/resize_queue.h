// Keeps the limits that the service has ordered, and what became of them until
// the service knows.
//
//   ResizeQueue resizes;
//   resizes.AddOutcomes(&request);  // of a heartbeat
//   resizes.NoteSent(request);      // the service has answered
//   resizes.TakeOrders(response);
//   std::optional<v1::ResizeOrder> order = resizes.OrderOf(job_id);
//   resizes.Report(outcome);
#ifndef STOWAGE_AGENTS_TELEMETRY_RESIZE_QUEUE_H_
#define STOWAGE_AGENTS_TELEMETRY_RESIZE_QUEUE_H_

#include <map>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "stowage/v1/node.pb.h"

namespace stowage::agent {

// Thread-safe; never blocks.
class ResizeQueue {
 public:
  // The most outcomes of a heartbeat. The others go with the next one.
  static constexpr int kMostOutcomes = 256;

  // Returns the order for the job that no outcome was reported of since the
  // service sent it.
  std::optional<v1::ResizeOrder> OrderOf(const std::string& job_id) const;
  // Replaces an older outcome of the job.
  void Report(const v1::ResizeOutcome& outcome);

  void AddOutcomes(v1::HeartbeatRequest* request) const;
  // Forgets the outcomes of a heartbeat that was answered, except those that
  // others have replaced meanwhile.
  void NoteSent(const v1::HeartbeatRequest& request);
  // Takes the orders in place of those before.
  void TakeOrders(const v1::HeartbeatResponse& response);

  bool has_outcomes() const;
  bool has_orders() const;

 private:
  mutable absl::Mutex mutex_;
  // By job.
  std::map<std::string, v1::ResizeOrder> orders_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, v1::ResizeOutcome> outcomes_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TELEMETRY_RESIZE_QUEUE_H_
