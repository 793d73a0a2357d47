// Makes residency decisions that are trivially right: everything movable is in
// the fast tier only while a kernel needs it there.
//
//   std::vector<Residency> residencies = StagedResidencies(graph, workload);
#ifndef STOWAGE_POLICIES_PLANNING_STAGING_H_
#define STOWAGE_POLICIES_PLANNING_STAGING_H_

#include <vector>

#include "policies/model/graph.h"
#include "policies/planning/plan_builder.h"
#include "policies/planning/workload.h"

namespace stowage::policies {

// Moves each staged tensor in just before its kernel and out just after it,
// synchronously. Pinned tensors and workspaces stay.
std::vector<Residency> StagedResidencies(const Graph& graph,
                                         const Workload& workload);

// Keeps only immovable tensors fast. For systems whose slower tiers are
// addressable.
std::vector<Residency> ImmovableResidencies(const Graph& graph);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLANNING_STAGING_H_
