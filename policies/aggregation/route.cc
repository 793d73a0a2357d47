#include "policies/aggregation/route.h"

#include <algorithm>

namespace stowage {

Route RouteOf(const Graph& graph, const Plan& plan, const TensorStays& stays,
              TensorIndex tensor) {
  Route route = {graph.tensors[tensor].alive_at_start(), stays.birth};
  for (const Stay& stay : stays.stays) {
    route.push_back(stay.tier);
    if (stay.arrived_by < 0) continue;
    const Move& move = plan.moves[stay.arrived_by];
    route.push_back(move.start_kernel);
    route.push_back(move.deadline_kernel);
    route.push_back(move.is_drop);
  }
  return route;
}

bool Moves(const TensorStays& stays) {
  return std::any_of(stays.stays.begin(), stays.stays.end(),
                     [](const Stay& stay) { return stay.arrived_by >= 0; });
}

}  // namespace stowage
