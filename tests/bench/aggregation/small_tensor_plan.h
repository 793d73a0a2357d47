// Plans a graph such that only small tensors move.
//
//   absl::StatusOr<Plan> plan = PlanSmallTensors(graph, system, 1 << 20);
#ifndef STOWAGE_TESTS_BENCH_AGGREGATION_SMALL_TENSOR_PLAN_H_
#define STOWAGE_TESTS_BENCH_AGGREGATION_SMALL_TENSOR_PLAN_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

// Keeps every movable tensor below `below_bytes` away from the fast tier while
// it is idle longest, and brings it back in time; all others stay. The limit is
// half more than the graph's peak.
absl::StatusOr<Plan> PlanSmallTensors(const Graph& graph,
                                      const MemorySystem& system,
                                      int64_t below_bytes);

}  // namespace stowage::policies

#endif  // STOWAGE_TESTS_BENCH_AGGREGATION_SMALL_TENSOR_PLAN_H_
