// Gives the moves of a plan the time that its addresses allow: copies into the
// fast tier begin as soon as their place is free, copies out of it are waited
// for when they are expected to be complete, or when their place is needed.
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

// `simulation` is the one of `plan`, whose prediction is left as it is.
void WidenMoves(const Graph& graph, const Simulation& simulation, Plan& plan);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLANNING_MOVE_WINDOWS_H_
