// Ranks nodes for a job by the step time that is predicted there.
//
//   const NodeRanking ranking = RankNodes(candidates, {.fast_bytes = 8 << 30},
//                                         estimates, /*count=*/10);
//   if (!ranking.nodes.empty()) StartAt(ranking.nodes.front().name);
//
// Pure functions. They make no plans: ten thousand nodes take milliseconds.
#ifndef STOWAGE_SERVER_SCHEDULING_NODE_RANKING_H_
#define STOWAGE_SERVER_SCHEDULING_NODE_RANKING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "policies/estimate/estimate.h"
#include "policies/estimate/other_node.h"
#include "server/fleet/node_registry.h"
#include "server/scheduling/job_estimator.h"

namespace stowage {

// A node that a job may start on.
struct Candidate {
  LiveNode node;
  int64_t free_bytes = 0;  // of fast memory, that jobs and reservations leave
};

// An estimate for the nodes of one kind, made on one of them.
struct KindEstimate {
  SharedEstimate estimate;
  policies::CopySpeed copies;  // of the node that it was made on
};

// By NodeMemory::kind. Nodes of other kinds do not suit the job.
using EstimatesByKind = absl::flat_hash_map<std::string, KindEstimate>;

struct JobDemand {
  // What the job is to have. 0: what the last speed of its estimate takes, or
  // what the node has left where that is less and still enough to run.
  int64_t fast_bytes = 0;
};

struct RankedNode {
  std::string name;
  int64_t fast_bytes = 0;    // what the job would have
  int64_t step_time_ns = 0;  // predicted; 0: there are no estimates
  int64_t free_bytes = 0;
  int64_t total_bytes = 0;
  int32_t active_jobs = 0;
};

struct NodeRanking {
  // The fastest first, and where steps take equally long the fullest.
  std::vector<RankedNode> nodes;
  int32_t suitable = 0;    // in all
  int32_t full = 0;        // too little fast memory left
  int32_t unsuitable = 0;  // too little in all, or of a kind without estimate
};

// Says whether and how a job runs on one node.
enum class Fit { kSuitable, kFull, kUnsuitable };

// Returns how the node suits the job, and fills `ranked` if it does. A null
// `estimates`: the job's graph is not known.
Fit FitOf(const Candidate& candidate, const JobDemand& demand,
          const EstimatesByKind* estimates, RankedNode* ranked);

// Ranks all candidates and returns the first `count`.
NodeRanking RankNodes(const std::vector<Candidate>& candidates,
                      const JobDemand& demand, const EstimatesByKind* estimates,
                      int32_t count);

}  // namespace stowage

#endif  // STOWAGE_SERVER_SCHEDULING_NODE_RANKING_H_
