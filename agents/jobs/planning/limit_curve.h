// Finds how long steps take under several limits, according to plans for them.
//
//   const auto plan = [&](int64_t limit_bytes) { return Ask(limit_bytes); };
//   absl::StatusOr<StepCurve> curve =
//       PlanCurve({.least_bytes = 30 << 20, .most_bytes = 60 << 20}, plan);
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_LIMIT_CURVE_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_LIMIT_CURVE_H_

#include "absl/status/statusor.h"
#include "agents/jobs/planning/plan_under_limit.h"
#include "agents/sharing/step_curve.h"

namespace stowage::agent {

// Returns the predicted step times under five limits in whole pages from
// `range`, which are equally far apart. Limits under which there is no plan are
// left out, and those between the least with a plan and `most_bytes` taken in
// their place. Makes five plans, and one more where the range begins too low.
// Errors are those of the first plan, and of any that the limit does not
// explain.
absl::StatusOr<StepCurve> PlanCurve(const CurveRange& range,
                                    PlanUnderLimit plan);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_LIMIT_CURVE_H_
