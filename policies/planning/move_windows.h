// Gives the moves of a plan the time that its addresses allow. A copy into the
// fast tier begins as soon as its place is free. A copy out of it is waited for
// when it is expected to be complete, or when its place is needed.
//
//   WidenMoves(graph, *Simulate(graph, system, plan), plan);
//
// A plan that the verifier accepts stays one. Pure, deterministic, O(n log n).
#ifndef STOWAGE_POLICIES_PLANNING_MOVE_WINDOWS_H_
#define STOWAGE_POLICIES_PLANNING_MOVE_WINDOWS_H_

#include "policies/model/graph.h"
#include "policies/plan/plan.h"
#include "policies/simulate/simulator.h"

namespace stowage::policies {

// Widens the moves. `simulation` is the one of `plan`, whose prediction does
// not change.
void WidenMoves(const Graph& graph, const Simulation& simulation, Plan& plan);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLANNING_MOVE_WINDOWS_H_
