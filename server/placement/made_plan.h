// Holds a plan and its id, as the engine returns them.
//
//   absl::StatusOr<MadePlan> made = engine.MakePlan(plan_request);
//   if (made.ok()) Send(made->plan_id, made->plan);
#ifndef STOWAGE_SERVER_PLACEMENT_MADE_PLAN_H_
#define STOWAGE_SERVER_PLACEMENT_MADE_PLAN_H_

#include <string>

#include "absl/time/time.h"
#include "stowage/v1/plan.pb.h"

namespace stowage {

struct MadePlan {
  std::string plan_id;
  v1::Plan plan;
  // How long the policy thought; zero if the plan was in the store.
  absl::Duration planning_time = absl::ZeroDuration();
  // The step time that the plan predicts over its lower bound; 0: not computed.
  double bound_ratio = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_MADE_PLAN_H_
