// Writes a plan of the service into the table in the session segment.
//
//   absl::Status status =
//       FillPlanArea(plan, binding, capacities, &segment->plans[n % 2]);
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_PLAN_TABLE_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_PLAN_TABLE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "agents/jobs/planning/graph_builder.h"
#include "client_sdk/session/session.h"
#include "stowage/v1/plan.pb.h"

namespace stowage::agent {

// Fills `area` with the plan. `binding` belongs to the graph that the plan was
// made for; `capacity_bytes` are the sizes of the arenas, fast to slow.
// INVALID_ARGUMENT, with the place in the plan, if an index or an offset lies
// outside or a tensor is missing; the area then holds nothing of use. Writes
// the area and never reads it.
//
// Ordinal n of a kernel is allocation `first_allocation + n`; one that the
// profile skipped has tensor -1. A persistent tensor that is known by its birth
// is allocated where the plan has it at that kernel. Sizes of moves are whole
// pages; all other sizes are the tensors' own.
absl::Status FillPlanArea(const v1::Plan& plan, const GraphBinding& binding,
                          const std::vector<int64_t>& capacity_bytes,
                          session::PlanArea* area);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_PLAN_TABLE_H_
