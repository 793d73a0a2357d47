// Finds the DQN policies that serve, for the placement engine.
//
//   absl::StatusOr<ServingDqn> serving = source->ForRequest(plan_request);
#ifndef STOWAGE_SERVER_PLACEMENT_DQN_SOURCE_H_
#define STOWAGE_SERVER_PLACEMENT_DQN_SOURCE_H_

#include <string>

#include "absl/status/statusor.h"
#include "policies/deeptm/dqn/dqn_policy.h"
#include "policies/model/memory_system.h"
#include "server/placement/plan_request.h"
#include "stowage/v1/plan.pb.h"

namespace stowage {

struct ServingDqn {
  policies::DqnPolicy policy;
  policies::MemorySystem system;
  std::string digest;  // tells the policy from others
};

// Thread-safe. Both methods fail with FAILED_PRECONDITION, and the remedy, if
// no policy serves.
class DqnSource {
 public:
  virtual ~DqnSource() = default;

  // Returns the policy that makes plans of "deeptm" for this request.
  virtual absl::StatusOr<ServingDqn> ForRequest(const PlanRequest& request) = 0;

  // Returns the policy that decides online for jobs that run under this plan.
  virtual absl::StatusOr<ServingDqn> ForPlan(const v1::Plan& plan) = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_DQN_SOURCE_H_
