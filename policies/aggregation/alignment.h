// Aligns moves, which is planning's part of contiguous migration: small tensors
// that leave and return at adjacent kernels do so together, so that they can be
// one copy. DeepTM III-C2.
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
  // The most bytes that move together.
  int64_t most_group_bytes = 16 << 20;
  // The least share of the kernels at which a tensor was away that it still is
  // away.
  double least_absence_share = 0.5;
};

// Returns the plan with the moves of small tensors shifted. Among tensors that
// go next to one another, all leave when the last one leaves and return when
// the first one returns. Moves between slower tiers stay as they are, and so do
// tensors that are dropped, streamed, or live across the end of a step without
// being persistent. Addresses are those of `plan`, which no longer fit: lay
// them out anew.
Plan AlignMoves(const Graph& graph, const Plan& plan,
                const std::vector<TensorResidencies>& residencies,
                const AlignmentSettings& settings);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AGGREGATION_ALIGNMENT_H_
