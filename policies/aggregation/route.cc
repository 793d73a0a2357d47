#include "policies/aggregation/route.h"

#include <algorithm>

namespace stowage::policies {

Route RouteOf(const Graph& graph, const Plan& plan,
              const TensorResidencies& residencies, TensorIndex tensor) {
  Route route = {graph.tensors[tensor].alive_at_start(), residencies.birth};
  for (const TierResidency& residency : residencies.residencies) {
    route.push_back(residency.tier);
    if (residency.arrived_by < 0) continue;
    const Move& move = plan.moves[residency.arrived_by];
    route.push_back(move.start_kernel);
    route.push_back(move.deadline_kernel);
    route.push_back(move.is_drop);
  }
  return route;
}

bool Moves(const TensorResidencies& residencies) {
  return std::any_of(
      residencies.residencies.begin(), residencies.residencies.end(),
      [](const TierResidency& residency) { return residency.arrived_by >= 0; });
}

}  // namespace stowage::policies
