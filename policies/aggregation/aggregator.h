// The aggregator: gives a plan addresses at which what moves together lies
// together, so that the migrator moves it in one copy. DeepTM III-C.
//
//   absl::StatusOr<Plan> plan = BuildPlan(graph, system, input);
//   plan = AggregatePlan(graph, system, *std::move(plan));
//
// Who is fast when, and when it moves, stays as it is. Pure functions,
// deterministic.
#ifndef STOWAGE_POLICIES_AGGREGATION_AGGREGATOR_H_
#define STOWAGE_POLICIES_AGGREGATION_AGGREGATOR_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "policies/aggregation/batching.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/planning/plan.h"

namespace stowage {

struct AggregationSettings {
  BatchingSettings batching;
  // Copies larger than this are as fast as they get.
  int64_t most_group_bytes = 16 << 20;
};

// `plan` must be one that the verifier accepts, and so is the result. Where no
// layout with groups fits, groups get smaller, and at last the plan is returned
// as it came. Its prediction is renewed. INVALID_ARGUMENT as Simulate.
absl::StatusOr<Plan> AggregatePlan(const Graph& graph,
                                   const MemorySystem& system, Plan plan,
                                   const AggregationSettings& settings = {});

// How many copies a plan's moves are, and how many moves share them.
struct CopyCount {
  int64_t moves = 0;
  int64_t copies = 0;
};
CopyCount CountCopies(const Graph& graph, const Plan& plan);

}  // namespace stowage

#endif  // STOWAGE_POLICIES_AGGREGATION_AGGREGATOR_H_
