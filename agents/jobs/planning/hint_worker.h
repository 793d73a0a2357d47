// Asks the placement service on behalf of a job that is off its plan. It waits
// for a situation in the segment, sends it on the placement stream, and writes
// the answer as hints.
//
//   HintWorker worker(segment, &plans, &service, options);
//   worker.RequestStop();     // destroyed: waits for the thread
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_HINT_WORKER_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_HINT_WORKER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "agents/engine/job_usage.h"
#include "agents/jobs/planning/delivered_plans.h"
#include "agents/jobs/planning/service_link.h"
#include "client_sdk/session/session.h"
#include "timing/bell.h"

namespace stowage::agent {

struct HintWorkerOptions {
  std::string policy;
  std::vector<int64_t> capacity_bytes;  // of the arenas, fast to slow
  // How long the service is left alone after an error: it is away, or no DQN
  // policy serves for the job's plan.
  absl::Duration retry_interval = absl::Seconds(10);
};

// Runs one thread, which sleeps while its job follows a plan. Pointers must
// outlive it.
class HintWorker {
 public:
  HintWorker(session::Segment* segment, const DeliveredPlans* plans,
             ServiceLink* service, HintWorkerOptions options,
             JobUsage* usage = nullptr);
  ~HintWorker();
  HintWorker(const HintWorker&) = delete;
  HintWorker& operator=(const HintWorker&) = delete;

  // Ends a request under way. Any thread may call it.
  void RequestStop();

 private:
  void Run();
  // Blocks until the service says that the policy answers online, or until the
  // worker ends.
  void WaitForPolicy() const;
  void WaitForSituation() const;
  // Answers the situation; without hints if there is no answer.
  void Answer();
  absl::StatusOr<v1::PlaceResponse> Ask(uint64_t plan,
                                        const v1::PlaceRequest& request);
  absl::StatusOr<PlacementStream*> StreamFor(uint64_t plan);
  void DropStream();

  session::Segment* const segment_;
  const DeliveredPlans* const plans_;
  ServiceLink* const service_;
  const HintWorkerOptions options_;
  JobUsage* const usage_;     // null: the thread is not counted
  uint64_t answered_;         // as in the segment
  uint64_t stream_plan_ = 0;  // the plan that the stream was opened for
  int64_t next_try_ns_ = 0;
  absl::Mutex mutex_;  // for cancelling
  std::unique_ptr<PlacementStream> stream_ ABSL_GUARDED_BY(mutex_);
  Bell stop_;
  std::thread thread_;  // last: it uses all above
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_HINT_WORKER_H_
