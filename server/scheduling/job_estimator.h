// Estimates jobs from graphs that are stored, and keeps the estimates.
//
//   JobEstimator estimator(&store, &queue, policies::MakePolicy);
//   absl::StatusOr<std::shared_ptr<const policies::JobEstimate>> estimate =
//       estimator.Estimate({.graph_id = id, .system = system}, caller);
#ifndef STOWAGE_SERVER_SCHEDULING_JOB_ESTIMATOR_H_
#define STOWAGE_SERVER_SCHEDULING_JOB_ESTIMATOR_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "policies/estimate/estimate.h"
#include "policies/model/memory_system.h"
#include "policies/plan/policy.h"
#include "server/graphs/graph_store.h"
#include "server/graphs/shared_graphs.h"
#include "server/placement/placement_engine.h"
#include "server/placement/planning_queue.h"

namespace stowage {

// Plain data.
struct EstimateRequest {
  std::string graph_id;
  policies::MemorySystem system;
  std::string policy;  // as the registry spells it
  int points = policies::EstimateOptions().points;
  std::vector<double> speeds = policies::EstimateOptions().speeds;
  absl::Duration think_time = policies::EstimateOptions().budget;
};

using SharedEstimate = std::shared_ptr<const policies::JobEstimate>;

// Thread-safe. Owns neither the store nor the queue; both must outlive it.
class JobEstimator {
 public:
  // How many estimates are kept; those asked for longest ago go.
  static constexpr size_t kMostKept = 256;

  JobEstimator(GraphStore* store, PlanningQueue* queue, PolicyFactory policies);

  // Returns the estimate of the graph with the profile that it has now. Blocks
  // while it waits and while it is made, as a plan is. NOT_FOUND: no such graph.
  // INVALID_ARGUMENT: the policy is unknown, or needs training.
  // FAILED_PRECONDITION: the job does not run on this system. Other errors are
  // those of PlanningQueue::Run() and of the store.
  absl::StatusOr<SharedEstimate> Estimate(const EstimateRequest& request,
                                          const PlanCaller& caller);

 private:
  struct Kept {
    SharedEstimate estimate;
    int64_t used = 0;  // ascends with each use
  };

  absl::Status Make(const std::string& key, const EstimateRequest& request,
                    const policies::Policy& policy,
                    const policies::Cancellation& cancellation);
  SharedEstimate Find(const std::string& key);
  void Keep(const std::string& key, policies::JobEstimate estimate);

  GraphStore* const store_;
  PlanningQueue* const queue_;
  const PolicyFactory policies_;
  SharedGraphs graphs_;
  absl::Mutex mutex_;
  std::map<std::string, Kept> kept_ ABSL_GUARDED_BY(mutex_);
  int64_t uses_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_SCHEDULING_JOB_ESTIMATOR_H_
