// Says which moves of a plan are one copy: the migrator joins requests that
// continue one another, and the simulator counts on it.
//
//   size_t end = ContiguousRunEnd(graph, plan.moves, first);
//   for (size_t m = first; m < end; ++m) bytes += BytesOf(plan.moves[m]);
//
// Pure functions. Source: DeepTM III-C2.
#ifndef STOWAGE_POLICIES_SIMULATE_CONTIGUOUS_MOVES_H_
#define STOWAGE_POLICIES_SIMULATE_CONTIGUOUS_MOVES_H_

#include <cstddef>
#include <vector>

#include "policies/model/graph.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

// Returns whether `second`, which follows `first` in the plan, continues where
// it ends: the same boundaries, the same two tiers, and the next bytes or the
// next page in both of them.
bool Continues(const Graph& graph, const Move& first, const Move& second);

// Returns one past the last of the moves from `first` on that are one copy.
size_t ContiguousRunEnd(const Graph& graph, const std::vector<Move>& moves,
                        size_t first);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SIMULATE_CONTIGUOUS_MOVES_H_
