// Ranks the nodes of the fleet for a job: gathers what is known of them, and the
// estimates that a ranking needs.
//
//   JobRanking ranking(&estimator, &nodes, &book);
//   absl::StatusOr<NodeRanking> ranked =
//       ranking.Rank({.graph_id = id, .count = 10}, caller);
#ifndef STOWAGE_SERVER_SCHEDULING_JOB_RANKING_H_
#define STOWAGE_SERVER_SCHEDULING_JOB_RANKING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/fleet/node_registry.h"
#include "server/placement/planning_queue.h"
#include "server/scheduling/job_estimator.h"
#include "server/scheduling/node_ranking.h"
#include "server/scheduling/reservation_book.h"

namespace stowage {

// Plain data.
struct RankRequest {
  std::string graph_id;            // empty: not known
  int64_t fast_bytes = 0;          // JobDemand::fast_bytes
  std::vector<std::string> nodes;  // none: all
  int32_t count = 10;
};

// Thread-safe. Owns none of the pointers; all must outlive it.
class JobRanking {
 public:
  // How many kinds of node are estimated, the most frequent ones. Nodes of
  // others do not suit the job.
  static constexpr size_t kMostKinds = 16;

  JobRanking(JobEstimator* estimator, const NodeRegistry* nodes,
             const ReservationBook* book)
      : estimator_(estimator), nodes_(nodes), book_(book) {}

  // Blocks while estimates are made that are not kept. Errors are those of
  // JobEstimator::Estimate(), but for kinds of node that do not run the job.
  absl::StatusOr<NodeRanking> Rank(const RankRequest& request,
                                   const PlanCaller& caller);

  // Returns the nodes that a request names and that are alive, with what they
  // have left.
  std::vector<Candidate> Candidates(
      const std::vector<std::string>& names) const;

  // Returns an estimate for each kind of these nodes on which the job runs.
  absl::StatusOr<EstimatesByKind> Estimates(
      const std::string& graph_id, const std::vector<Candidate>& candidates,
      const PlanCaller& caller);

 private:
  JobEstimator* const estimator_;
  const NodeRegistry* const nodes_;
  const ReservationBook* const book_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_SCHEDULING_JOB_RANKING_H_
