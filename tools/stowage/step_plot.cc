#include "tools/stowage/step_plot.h"

#include <unistd.h>

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "policies/model/liveness.h"
#include "tools/stowage/child_process.h"
#include "tools/stowage/import/input_file.h"
#include "tools/stowage/output_file.h"
#include "tools/stowage/temp_directory.h"
#include "tools/stowage/units.h"

namespace stowage::cli {
namespace {

using nlohmann::json;

// Debian's, which has Debian's matplotlib.
constexpr char kPython[] = "/usr/bin/python3";

json MovesToJson(const StepPicture& picture) {
  json moves = json::array();
  for (size_t m = 0; m < picture.plan.moves.size(); ++m) {
    const Move& move = picture.plan.moves[m];
    const MoveTrace& trace = picture.simulation.moves[m];
    moves.push_back({{"direction", move.to.tier == kFastTier ? "in" : "out"},
                     {"bytes", picture.graph.tensors[move.tensor].size_bytes},
                     {"start_ns", trace.start_ns},
                     {"end_ns", trace.end_ns}});
  }
  return moves;
}

json MeasuredToJson(const std::vector<Step>& steps) {
  json measured = json::array();
  for (const Step& step : steps) {
    measured.push_back({{"index", step.index},
                        {"mode", ModeName(step.mode)},
                        {"duration_ns", step.duration_ns},
                        {"fast_peak_bytes", step.fast_peak_bytes}});
  }
  return measured;
}

json PictureToJson(const StepPicture& picture) {
  const Plan& plan = picture.plan;
  json times_ns = json::array();
  json fast_bytes = json::array();
  for (const KernelTrace& kernel : picture.simulation.kernels) {
    times_ns.push_back(kernel.start_ns);
    fast_bytes.push_back(kernel.fast_bytes);
  }
  times_ns.push_back(picture.simulation.kernels.back().end_ns);
  fast_bytes.push_back(picture.simulation.kernels.back().fast_bytes);
  return {{"title", absl::StrCat(picture.graph.name, ", policy ", plan.policy,
                                 ", fast memory limited to ",
                                 FormatBytes(plan.fast_limit_bytes))},
          {"limit_bytes", plan.fast_limit_bytes},
          {"tensor_peak_bytes", ComputeLiveness(picture.graph).peak_bytes},
          {"predicted_ns", plan.prediction.step_time_ns},
          {"times_ns", std::move(times_ns)},
          {"fast_bytes", std::move(fast_bytes)},
          {"moves", MovesToJson(picture)},
          {"measured", MeasuredToJson(picture.measured)}};
}

}  // namespace

absl::Status CheckPlotPath(const std::string& path) {
  if (absl::EndsWith(path, ".svg") || absl::EndsWith(path, ".png")) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--plot ", path, ": the name must end in .svg or .png"));
}

absl::Status DrawStep(const StepPicture& picture,
                      const Installation& installation,
                      const std::string& path) {
  if (picture.simulation.kernels.empty()) {
    return absl::FailedPreconditionError("cannot draw a step without kernels");
  }
  absl::StatusOr<TempDirectory> directory = TempDirectory::Make();
  if (!directory.ok()) return directory.status();
  const std::string data_path = absl::StrCat(directory->path(), "/step.json");
  const std::string log_path = absl::StrCat(directory->path(), "/log");
  absl::Status written = WriteFileAtomically(
      data_path, PictureToJson(picture).dump(-1, ' ', false,
                                             json::error_handler_t::replace));
  if (!written.ok()) return written;
  absl::StatusOr<ChildProcess> script = ChildProcess::Start(
      {.argv = {kPython, installation.plotter_path, data_path, path},
       .log_path = log_path});
  if (!script.ok()) return script.status();
  if (script->Wait() == 0) return absl::OkStatus();
  const absl::StatusOr<std::string> log = ReadFile(log_path);
  return absl::FailedPreconditionError(absl::StrCat(
      "cannot draw '", path, "': ",
      log.ok() ? absl::StripAsciiWhitespace(*log) : "the script said nothing"));
}

}  // namespace stowage::cli
