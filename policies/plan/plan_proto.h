// Converts plans to protos and back. Protos are untrusted input.
//
//   absl::StatusOr<Plan> plan = PlanFromProto(proto);
//
// Returns a well-formed plan. VerifyPlan decides whether it can be executed.
#ifndef STOWAGE_POLICIES_PLAN_PLAN_PROTO_H_
#define STOWAGE_POLICIES_PLAN_PLAN_PROTO_H_

#include "absl/status/statusor.h"
#include "policies/plan/plan.h"
#include "stowage/v1/plan.pb.h"

namespace stowage::policies {

// Converts a proto. INVALID_ARGUMENT names the field, its value and the remedy;
// RESOURCE_EXHAUSTED means more than 4,000,000 allocations, moves or streams.
absl::StatusOr<Plan> PlanFromProto(const v1::Plan& proto);

v1::Plan PlanToProto(const Plan& plan);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLAN_PLAN_PROTO_H_
