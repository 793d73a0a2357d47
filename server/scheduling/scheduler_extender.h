// Answers a Kubernetes scheduler as its extender: which nodes suit a pod, and
// how well. For clusters without dynamic resource allocation.
//
//   SchedulerExtender extender(&ranking);
//   absl::StatusOr<std::string> answer = extender.Filter(body);
//
// Bodies are the JSON of k8s.io/kube-scheduler/extender/v1. A pod says what it is
// by annotations: `stowage.dev/graph`, the id of its job's graph, and
// `stowage.dev/fast-bytes`, what the job is to have. One of them is enough; a pod
// with neither may go anywhere.
#ifndef STOWAGE_SERVER_SCHEDULING_SCHEDULER_EXTENDER_H_
#define STOWAGE_SERVER_SCHEDULING_SCHEDULER_EXTENDER_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/scheduling/job_ranking.h"

namespace stowage {

// Thread-safe. Does not own the ranking, which must outlive it.
class SchedulerExtender {
 public:
  explicit SchedulerExtender(JobRanking* ranking) : ranking_(ranking) {}

  // Returns an ExtenderFilterResult for ExtenderArgs: the nodes that suit, and
  // why the others do not. What is wrong with the pod, or keeps the service from
  // answering, is its `Error`. Blocks while estimates are made.
  // INVALID_ARGUMENT: `body` is not ExtenderArgs.
  absl::StatusOr<std::string> Filter(const std::string& body);

  // Returns a HostPriorityList for ExtenderArgs: 10 for the fastest node, and
  // less for others in proportion to their speed. Errors are those of Filter();
  // and a pod that cannot be ranked gives 0 to all nodes.
  absl::StatusOr<std::string> Prioritize(const std::string& body);

 private:
  JobRanking* const ranking_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_SCHEDULING_SCHEDULER_EXTENDER_H_
