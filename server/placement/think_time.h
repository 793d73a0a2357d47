// Decides how long a policy may think about a plan.
//
//   const absl::Duration time = ThinkTime(request, policy, graph);
//   policy.MakePlan(graph, request.system, {.time_limit = time});
#ifndef STOWAGE_SERVER_PLACEMENT_THINK_TIME_H_
#define STOWAGE_SERVER_PLACEMENT_THINK_TIME_H_

#include "absl/time/time.h"
#include "policies/model/graph.h"
#include "policies/plan/policy.h"
#include "server/placement/plan_request.h"

namespace stowage {

// Returns the request's think time; zero means the policy's own. A brief plan by
// a policy that plans well in little time gets about two steps, as long as that
// is less than such a policy takes anyway, but never so little that large graphs
// or small ones end in poor plans. Pure.
absl::Duration ThinkTime(const PlanRequest& request,
                         const policies::Policy& policy,
                         const policies::Graph& graph);

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_THINK_TIME_H_
