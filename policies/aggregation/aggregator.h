// The aggregator: gives a plan addresses at which what moves together lies
// together, so that the migrator moves it in one copy. DeepTM III-C.
//
//   absl::StatusOr<Plan> plan = BuildPlan(graph, system, input);
//   plan = AggregatePlan(graph, system, *std::move(plan));
//
// Tensors move as the plan has it, small ones a little later and back a little
// earlier where they move with others so. Pure functions, deterministic.
#ifndef STOWAGE_POLICIES_AGGREGATION_AGGREGATOR_H_
#define STOWAGE_POLICIES_AGGREGATION_AGGREGATOR_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "policies/aggregation/alignment.h"
#include "policies/aggregation/batching.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

struct AggregationSettings {
  BatchingSettings batching;
  AlignmentSettings alignment;
  // Whether small tensors may leave later and return earlier than planned.
  bool align_moves = true;
  // Copies larger than this are as fast as they get.
  int64_t most_group_bytes = 16 << 20;
};

// `plan` must be one that the verifier accepts, and so is the result. It is the
// fastest of several to the simulator, with the fewest copies: with moves
// aligned or not, with smaller groups where larger ones find no addresses, and,
// when nothing is as fast, the plan as it came. Its prediction is renewed.
// INVALID_ARGUMENT as Simulate.
absl::StatusOr<Plan> AggregatePlan(const Graph& graph,
                                   const MemorySystem& system, Plan plan,
                                   const AggregationSettings& settings = {});

// How many copies a plan's moves are, drops being none, and how many moves
// there are.
struct CopyCount {
  int64_t moves = 0;
  int64_t copies = 0;
};
CopyCount CountCopies(const Graph& graph, const Plan& plan);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AGGREGATION_AGGREGATOR_H_
