#include "tools/stowage/plot/step_plot.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "policies/model/liveness.h"
#include "tools/stowage/output/units.h"
#include "tools/stowage/plot/python_plot.h"

namespace stowage::cli {
namespace {

using nlohmann::json;

// Returns the moves without drops, which move nothing.
json MovesToJson(const StepPicture& picture) {
  json moves = json::array();
  for (size_t m = 0; m < picture.plan.moves.size(); ++m) {
    const policies::Move& move = picture.plan.moves[m];
    if (move.is_drop) continue;
    const policies::MoveTrace& trace = picture.simulation.moves[m];
    moves.push_back(
        {{"direction", move.to.tier == policies::kFastTier ? "in" : "out"},
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
  const policies::Plan& plan = picture.plan;
  json times_ns = json::array();
  json fast_bytes = json::array();
  for (const policies::KernelTrace& kernel : picture.simulation.kernels) {
    times_ns.push_back(kernel.start_ns);
    fast_bytes.push_back(kernel.fast_bytes);
  }
  times_ns.push_back(picture.simulation.kernels.back().end_ns);
  fast_bytes.push_back(picture.simulation.kernels.back().fast_bytes);
  return {{"title", absl::StrCat(picture.graph.name, ", policy ", plan.policy,
                                 ", fast memory limited to ",
                                 FormatBytes(plan.fast_limit_bytes))},
          {"limit_bytes", plan.fast_limit_bytes},
          {"tensor_peak_bytes",
           policies::ComputeLiveness(picture.graph).peak_bytes},
          {"predicted_ns", plan.prediction.step_time_ns},
          {"times_ns", std::move(times_ns)},
          {"fast_bytes", std::move(fast_bytes)},
          {"moves", MovesToJson(picture)},
          {"measured", MeasuredToJson(picture.measured)}};
}

}  // namespace

absl::Status DrawStep(const StepPicture& picture,
                      const Installation& installation,
                      const std::string& path) {
  if (picture.simulation.kernels.empty()) {
    return absl::FailedPreconditionError("cannot draw a step without kernels");
  }
  return DrawWithPython(installation.plotter_path, PictureToJson(picture),
                        path);
}

}  // namespace stowage::cli
