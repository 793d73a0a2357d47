// Turns a job's situation into a request of the placement stream, and the
// answer into hints.
//
//   const Situation situation = CopySituation(segment->situation);
//   absl::StatusOr<v1::PlaceRequest> request =
//       PlaceRequestFor(situation, plan, capacity_bytes);
//   absl::Status status = FillHints(response, plan, tier_count, &segment->hints);
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_SITUATION_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_SITUATION_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agents/jobs/planning/delivered_plans.h"
#include "client_sdk/session/session.h"
#include "stowage/v1/placement.pb.h"

namespace stowage::agent {

struct Situation {
  uint64_t plan = 0;
  int32_t kernel = 0;
  std::vector<int64_t> free_bytes;  // session::kMaxTiers of them
  std::vector<session::Resident> residents;
};

// Returns a copy of the situation, which the job cannot change. Checks nothing
// but its length.
Situation CopySituation(const session::SituationArea& area);

// Returns a request for decisions that adapt to the situation. Leaves out
// tensors that are dead by then according to the graph, and bounds the free
// bytes by `capacity_bytes`, the sizes of the arenas, fast to slow.
// INVALID_ARGUMENT if a kernel, tensor or tier does not exist.
absl::StatusOr<v1::PlaceRequest> PlaceRequestFor(
    const Situation& situation, const DeliveredPlan& plan,
    const std::vector<int64_t>& capacity_bytes);

// Writes the decisions of the answer, at most session::kMaxHints of them, as
// hints. A planned move or allocation becomes a hint as an action of a policy
// does. INVALID_ARGUMENT if a kernel, tensor or tier does not exist or kernels
// are out of order; there are no hints then.
absl::Status FillHints(const v1::PlaceResponse& response,
                       const DeliveredPlan& plan, int32_t tier_count,
                       session::HintArea* area);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_SITUATION_H_
