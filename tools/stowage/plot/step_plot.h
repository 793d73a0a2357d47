// Draws the picture of a step: fast memory in use, moves, measured steps.
// plot_step.py does so with Debian's matplotlib.
//
//   absl::Status drawn = DrawStep(step, installation, "step.svg");
#ifndef STOWAGE_TOOLS_STOWAGE_PLOT_STEP_PLOT_H_
#define STOWAGE_TOOLS_STOWAGE_PLOT_STEP_PLOT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "policies/model/graph.h"
#include "policies/plan/plan.h"
#include "policies/simulate/simulator.h"
#include "tools/stowage/process/installation.h"
#include "tools/stowage/report/report.h"

namespace stowage::cli {

// Borrows graph, plan and simulation.
struct StepPicture {
  const policies::Graph& graph;
  const policies::Plan& plan;
  const policies::Simulation& simulation;
  std::vector<Step> measured;  // may be empty
};

// Draws the picture. Blocks for some seconds. FAILED_PRECONDITION, with what
// the script wrote: it cannot draw, because matplotlib is missing, say.
absl::Status DrawStep(const StepPicture& picture,
                      const Installation& installation,
                      const std::string& path);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_PLOT_STEP_PLOT_H_
