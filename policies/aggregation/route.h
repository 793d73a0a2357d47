// Says what two tensors must have in common to be moved as one.
//
//   const Route route = RouteOf(graph, plan, residencies, a);
#ifndef STOWAGE_POLICIES_AGGREGATION_ROUTE_H_
#define STOWAGE_POLICIES_AGGREGATION_ROUTE_H_

#include <cstdint>
#include <vector>

#include "policies/aggregation/tier_residency.h"
#include "policies/model/graph.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

// Lists the tiers that a tensor is in, one after the other, the boundaries of
// the moves between them, and which are drops. Tensors that leave and return at
// the same boundaries have their next access equally far away: the paper's
// equal reuse distance.
using Route = std::vector<int32_t>;

Route RouteOf(const Graph& graph, const Plan& plan,
              const TensorResidencies& residencies, TensorIndex tensor);

// Returns whether the route has moves.
bool Moves(const TensorResidencies& residencies);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AGGREGATION_ROUTE_H_
