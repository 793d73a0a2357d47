// Inverts BuildPlan: finds what a plan was, or could have been, built from.
//
//   std::optional<BuildInput> input = BuildInputOf(graph, plan);
//   // BuildPlan(graph, system, *input) makes the same decisions
//
// Pure function.
#ifndef STOWAGE_POLICIES_PLANNING_PLAN_RESIDENCIES_H_
#define STOWAGE_POLICIES_PLANNING_PLAN_RESIDENCIES_H_

#include <optional>

#include "policies/model/graph.h"
#include "policies/plan/plan.h"
#include "policies/planning/plan_builder.h"

namespace stowage::policies {

// Returns the input of `plan`, which the verifier accepts; nullopt if a tensor
// is in more than one slower tier in the course of the step.
std::optional<BuildInput> BuildInputOf(const Graph& graph, const Plan& plan);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLANNING_PLAN_RESIDENCIES_H_
