// Captures one step of a training command, in demand mode under a small limit,
// and ends the command.
//
//   absl::StatusOr<CapturedStep> step =
//       CaptureStep({.fast = "40%", .command = command}, *installation);
#ifndef STOWAGE_TOOLS_STOWAGE_ADVISE_CAPTURED_STEP_H_
#define STOWAGE_TOOLS_STOWAGE_ADVISE_CAPTURED_STEP_H_

#include <optional>

#include "absl/status/statusor.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "tools/stowage/process/installation.h"
#include "tools/stowage/run/run_request.h"

namespace stowage::cli {

struct CapturedStep {
  policies::Graph graph;
  // The memory system as the agent has measured it; nullopt: no plan was made
  // under the limit of the run.
  std::optional<policies::MemorySystem> system;
};

// Runs the command until a step has been profiled and planned, and asks it to
// end. Of several kinds of step the one with the most bytes counts. Blocks
// meanwhile. FAILED_PRECONDITION: the command ended before a step was profiled.
// Other errors are those of RunJob().
absl::StatusOr<CapturedStep> CaptureStep(const RunRequest& request,
                                         const Installation& installation);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_ADVISE_CAPTURED_STEP_H_
