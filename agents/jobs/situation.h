// From a job's situation to a request of the placement stream, and from its
// answer to hints.
//
//   const Situation situation = CopySituation(segment->situation);
//   absl::StatusOr<v1::PlaceRequest> request =
//       PlaceRequestFor(situation, plan, capacity_bytes);
//   absl::Status status = FillHints(response, plan, tier_count, &segment->hints);
#ifndef STOWAGE_AGENTS_JOBS_SITUATION_H_
#define STOWAGE_AGENTS_JOBS_SITUATION_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agents/jobs/delivered_plans.h"
#include "client_sdk/session/session.h"
#include "stowage/v1/placement.pb.h"

namespace stowage::agent {

struct Situation {
  uint64_t plan = 0;
  int32_t kernel = 0;
  std::vector<int64_t> free_bytes;  // session::kMaxTiers of them
  std::vector<session::Resident> residents;
};

// A copy that the job cannot change; nothing in it is checked but its length.
Situation CopySituation(const session::SituationArea& area);

// Asks for a window of decisions that adapt to the situation. What the graph
// says is dead by then is left out; free bytes are bounded by `capacity_bytes`,
// the sizes of the arenas, fast to slow. INVALID_ARGUMENT: a kernel, tensor or
// tier that there is not.
absl::StatusOr<v1::PlaceRequest> PlaceRequestFor(
    const Situation& situation, const DeliveredPlan& plan,
    const std::vector<int64_t>& capacity_bytes);

// Writes the answer's decisions as hints, the first session::kMaxHints of them:
// a planned move or allocation says as much as an action of a policy.
// INVALID_ARGUMENT: a kernel, tensor or tier that there is not, or kernels out
// of order; then there are no hints.
absl::Status FillHints(const v1::PlaceResponse& response,
                       const DeliveredPlan& plan, int32_t tier_count,
                       session::HintArea* area);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_SITUATION_H_
