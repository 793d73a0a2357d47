// Names the function by which searches ask for plans under one limit after the
// other.
//
//   const auto plan = [&](int64_t limit_bytes) { return Ask(limit_bytes); };
//   PlanUnderLimit asks = plan;
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_PLAN_UNDER_LIMIT_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_PLAN_UNDER_LIMIT_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "stowage/v1/placement.pb.h"

namespace stowage::agent {

// Makes a plan under a limit. INVALID_ARGUMENT or FAILED_PRECONDITION with the
// detail LimitTooSmall: there is none.
using PlanUnderLimit = absl::FunctionRef<absl::StatusOr<v1::MakePlanResponse>(
    int64_t limit_bytes)>;

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_PLAN_UNDER_LIMIT_H_
