// Fetches what a service planned for a run, for its picture and lower bound.
//
//   absl::StatusOr<PlannedStep> step =
//       FetchPlannedStep(address, node, std::move(graphs));
#ifndef STOWAGE_TOOLS_STOWAGE_RUN_PLANNED_STEP_H_
#define STOWAGE_TOOLS_STOWAGE_RUN_PLANNED_STEP_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/plan.h"
#include "policies/simulate/simulator.h"

namespace stowage::cli {

struct PlannedStep {
  policies::Graph graph;
  policies::MemorySystem system;  // of the node
  policies::Plan plan;
  policies::Simulation simulation;
};

// Returns the first of `graphs` that has a plan, and of its plans the one with
// the longest step, simulated on the memory system that `node` registered. The
// step that was profiled last has none if the job kept an earlier one. Blocks on
// the service for some seconds at most. FAILED_PRECONDITION: no plan was made.
absl::StatusOr<PlannedStep> FetchPlannedStep(
    const std::string& address, const std::string& node,
    std::vector<policies::Graph> graphs);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_RUN_PLANNED_STEP_H_
