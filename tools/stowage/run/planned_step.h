// Loads the step that was planned last, for its picture and lower bound.
//
//   absl::StatusOr<PlannedStep> step = LoadPlannedStep(graph_dir, run_id);
#ifndef STOWAGE_TOOLS_STOWAGE_RUN_PLANNED_STEP_H_
#define STOWAGE_TOOLS_STOWAGE_RUN_PLANNED_STEP_H_

#include <string>

#include "absl/status/statusor.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/plan.h"
#include "policies/simulate/simulator.h"

namespace stowage::cli {

struct PlannedStep {
  policies::Graph graph;
  policies::MemorySystem system;  // that the plan counts on
  policies::Plan plan;
  policies::Simulation simulation;
};

// Returns the last step of the run that the agent had a plan made for, and
// kept in `graph_dir`. Blocks on the disk. FAILED_PRECONDITION: no plan was
// made.
absl::StatusOr<PlannedStep> LoadPlannedStep(const std::string& graph_dir,
                                            const std::string& run_id);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_RUN_PLANNED_STEP_H_
