// Gives a plan addresses at which tensors that move together lie together, so
// that the migrator moves them in one copy. DeepTM III-C.
//
//   absl::StatusOr<Plan> plan = BuildPlan(graph, system, input);
//   plan = AggregatePlan(graph, system, *std::move(plan));
//
// Tensors move as the plan says. Small ones may leave a little later and return
// a little earlier, where they then move with others. Pure functions,
// deterministic.
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
  // Larger copies are no faster.
  int64_t most_group_bytes = 16 << 20;
};

// Returns the plan at other addresses. The verifier must accept `plan`, and
// accepts the result. Of several plans it is the fastest to the simulator, with
// the fewest copies: with moves aligned or not, with smaller groups where
// larger ones find no addresses, and, if nothing is as fast, the plan as it
// came. Its prediction is renewed. INVALID_ARGUMENT as in Simulate.
absl::StatusOr<Plan> AggregatePlan(const Graph& graph,
                                   const MemorySystem& system, Plan plan,
                                   const AggregationSettings& settings = {});

// Counts a plan's moves, and the copies that they need. A drop is no copy.
struct CopyCount {
  int64_t moves = 0;
  int64_t copies = 0;
};
CopyCount CountCopies(const Graph& graph, const Plan& plan);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AGGREGATION_AGGREGATOR_H_
