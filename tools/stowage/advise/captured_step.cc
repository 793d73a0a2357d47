#include "tools/stowage/advise/captured_step.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "policies/model/liveness.h"
#include "tools/stowage/graphs/captured_graphs.h"
#include "tools/stowage/import/graph_file.h"
#include "tools/stowage/inputs/system_file.h"
#include "tools/stowage/process/temp_directory.h"
#include "tools/stowage/run/job_run.h"

namespace stowage::cli {
namespace {

constexpr char kGraphEnding[] = ".graph.pb";
constexpr char kPlanEnding[] = ".plan.pb";
constexpr char kSystemEnding[] = ".system.pb";

// Says why there is no graph, with the status of a command that failed.
absl::Status NothingCaptured(const JobRun& run, const absl::Status& why) {
  if (run.exit_status == 0) return why;
  return absl::FailedPreconditionError(
      absl::StrCat("the command ended with status ", run.exit_status,
                   " before a step was profiled"));
}

// Returns the graph with the most bytes alive, and its memory system.
absl::StatusOr<CapturedStep> LoadLargest(
    const std::vector<std::string>& paths) {
  CapturedStep largest;
  int64_t most_bytes = -1;
  for (const std::string& path : paths) {
    absl::StatusOr<LoadedGraph> loaded = LoadGraph(path, {});
    if (!loaded.ok()) return loaded.status();
    const int64_t peak_bytes =
        policies::ComputeLiveness(loaded->graph).peak_bytes;
    if (peak_bytes <= most_bytes) continue;
    most_bytes = peak_bytes;
    largest.graph = std::move(loaded->graph);
    absl::StatusOr<policies::MemorySystem> system = LoadSystem(
        absl::StrCat(absl::StripSuffix(path, kGraphEnding), kSystemEnding));
    largest.system =
        system.ok() ? std::optional(*std::move(system)) : std::nullopt;
  }
  return largest;
}

}  // namespace

absl::StatusOr<CapturedStep> CaptureStep(const RunRequest& request,
                                         const Installation& installation) {
  const absl::StatusOr<TempDirectory> directory = TempDirectory::Make();
  if (!directory.ok()) return directory.status();
  const absl::StatusOr<JobRun> run =
      RunJob(request, installation, directory->path(),
             [](const std::string& graph_dir, const std::string& run_id) {
               return !CapturedFiles(graph_dir, run_id, kPlanEnding).empty();
             });
  if (!run.ok()) return run.status();
  const std::vector<std::string> paths =
      CapturedFiles(run->graph_dir, run->run_id, kGraphEnding);
  if (paths.empty()) {
    return NothingCaptured(
        *run,
        LoadCapturedGraph(run->graph_dir, run->run_id, /*number=*/0).status());
  }
  return LoadLargest(paths);
}

}  // namespace stowage::cli
