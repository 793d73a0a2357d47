#include "tools/stowage/run/planned_step.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tools/stowage/graphs/captured_graphs.h"
#include "tools/stowage/import/graph_file.h"
#include "tools/stowage/inputs/plan_file.h"
#include "tools/stowage/inputs/system_file.h"

namespace stowage::cli {

absl::StatusOr<PlannedStep> LoadPlannedStep(const std::string& graph_dir,
                                            const std::string& run_id) {
  constexpr absl::string_view kEnding = ".plan.pb";
  const std::vector<std::string> paths =
      CapturedFiles(graph_dir, run_id, std::string(kEnding));
  if (paths.empty()) {
    return absl::FailedPreconditionError(
        "no plan was made for any step that was profiled");
  }
  const absl::string_view stem = absl::StripSuffix(paths.back(), kEnding);
  absl::StatusOr<policies::Plan> plan = LoadPlan(paths.back());
  if (!plan.ok()) return plan.status();
  absl::StatusOr<LoadedGraph> loaded =
      LoadGraph(absl::StrCat(stem, ".graph.pb"), {});
  if (!loaded.ok()) return loaded.status();
  absl::StatusOr<policies::MemorySystem> system =
      LoadSystem(absl::StrCat(stem, ".system.pb"));
  if (!system.ok()) return system.status();
  absl::StatusOr<policies::Simulation> simulation =
      policies::Simulate(loaded->graph, *system, *plan);
  if (!simulation.ok()) return simulation.status();
  return PlannedStep{std::move(loaded->graph), *std::move(system),
                     *std::move(plan), *std::move(simulation)};
}

}  // namespace stowage::cli
