// Contiguous migration, planning's part: small tensors that leave and return at
// adjacent kernels do so together, so that they can be one copy. DeepTM III-C2.
//
//   Plan aligned = AlignMoves(graph, plan, residencies, {});
#ifndef STOWAGE_POLICIES_AGGREGATION_ALIGNMENT_H_
#define STOWAGE_POLICIES_AGGREGATION_ALIGNMENT_H_

#include <cstdint>
#include <vector>

#include "policies/aggregation/tier_residency.h"
#include "policies/model/graph.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

struct AlignmentSettings {
  // Larger tensors reach the bandwidth of a medium alone.
  int64_t most_tensor_bytes = 1 << 20;
  // What moves together, at most.
  int64_t most_group_bytes = 16 << 20;
  // Of the kernels at which a tensor was away, it is away at so many still.
  double least_absence_share = 0.5;
};

// The plan with the moves of small tensors shifted: of those that go next to
// one another, all leave when the last one leaves and return when the first one
// returns. Moves between slower tiers, and tensors that are dropped, streamed
// or live across the end of a step without being persistent, stay as they are.
// Addresses are those of `plan`, which no longer fit: lay them out anew.
Plan AlignMoves(const Graph& graph, const Plan& plan,
                const std::vector<TensorResidencies>& residencies,
                const AlignmentSettings& settings);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AGGREGATION_ALIGNMENT_H_
