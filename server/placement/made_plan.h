// Holds a plan with its id, as the engine hands it out.
#ifndef STOWAGE_SERVER_PLACEMENT_MADE_PLAN_H_
#define STOWAGE_SERVER_PLACEMENT_MADE_PLAN_H_

#include <string>

#include "absl/time/time.h"
#include "stowage/v1/plan.pb.h"

namespace stowage {

struct MadePlan {
  std::string plan_id;
  v1::Plan plan;
  // How long the policy thought; zero when the plan was stored already.
  absl::Duration planning_time = absl::ZeroDuration();
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_MADE_PLAN_H_
