#include "tools/stowage/advise/advice_output.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/stowage/output/table.h"
#include "tools/stowage/output/units.h"
#include "tools/stowage/plot/python_plot.h"

namespace stowage::cli {
namespace {

bool HasPrices(const policies::JobEstimate& job) {
  return std::all_of(job.points.begin(), job.points.end(),
                     [](const auto& point) { return point.price_usd >= 0; });
}

std::string SpeedOf(const policies::JobEstimate& job, int64_t step_time_ns) {
  return FormatShare(std::min(job.all_fast_ns, step_time_ns), step_time_ns);
}

Table CurveTable(const policies::JobEstimate& job) {
  const bool has_prices = HasPrices(job);
  std::vector<std::string> header = {
      "fast memory",    "of peak",     "step",        "speed",
      "no faster than", "slow memory", "moved a step"};
  if (has_prices) header.push_back("price");
  Table table(header);
  for (const policies::EstimatePoint& point : job.points) {
    std::vector<std::string> row = {
        FormatBytes(point.limit_bytes),
        FormatShare(point.limit_bytes, job.peak_bytes),
        absl::StrCat(FormatDurationNs(point.step_time_ns),
                     point.streaming_kernels > 0 ? " *" : ""),
        SpeedOf(job, point.step_time_ns),
        FormatDurationNs(std::min(point.bound_ns, point.step_time_ns)),
        FormatBytes(point.slow_peak_bytes),
        FormatBytes(point.moved_in_bytes + point.moved_out_bytes)};
    if (has_prices) row.push_back(absl::StrFormat("%.2f USD", point.price_usd));
    table.AddRow(row);
  }
  return table;
}

Table AnswerTable(const policies::JobEstimate& job) {
  Table table({"to reach", "fast memory", "of peak"});
  const auto add = [&](const std::string& goal, int64_t bytes) {
    if (bytes == 0) return table.AddRow({goal, "no limit does", ""});
    table.AddRow(
        {goal, FormatBytes(bytes), FormatShare(bytes, job.peak_bytes)});
  };
  add("a plan at all", job.least_limit_bytes);
  for (const policies::SpeedGoal& goal : job.goals) {
    add(absl::StrFormat("at %.4g %% of full speed", 100 * goal.speed),
        goal.limit_bytes);
  }
  if (job.knee_bytes > 0) add("the knee of the curve", job.knee_bytes);
  return table;
}

}  // namespace

std::string AdviceToText(const Advice& advice) {
  const policies::JobEstimate& job = advice.estimate;
  std::string text = absl::StrCat(
      advice.graph, " on ", advice.system, ": ", FormatBytes(job.peak_bytes),
      " of tensors; a step takes ", FormatDurationNs(job.all_fast_ns),
      " when all of them are fast\n\n", CurveTable(job).ToText(), "\n",
      AnswerTable(job).ToText());
  absl::StrAppend(&text, "\nThe least limit is what kernel ", job.least_kernel,
                  " needs. All times are predicted.\n");
  if (job.points.front().streaming_kernels > 0) {
    absl::StrAppend(
        &text,
        "* Operands of some kernels do not fit together and stream: "
        "such steps are slower than predicted, as a rule.\n");
  }
  if (job.knee_bytes > 0) {
    absl::StrAppend(&text,
                    "With less than the knee steps become longer quickly; more "
                    "gains little.\n");
  }
  return text;
}

nlohmann::json AdviceToJson(const Advice& advice) {
  const policies::JobEstimate& job = advice.estimate;
  nlohmann::json points = nlohmann::json::array();
  for (const policies::EstimatePoint& point : job.points) {
    points.push_back({{"fast_limit_bytes", point.limit_bytes},
                      {"step_time_ns", point.step_time_ns},
                      {"lower_bound_ns", point.bound_ns},
                      {"slow_peak_bytes", point.slow_peak_bytes},
                      {"moved_in_bytes", point.moved_in_bytes},
                      {"moved_out_bytes", point.moved_out_bytes},
                      {"streaming_kernels", point.streaming_kernels}});
    points.back()["price_usd"] = point.price_usd >= 0
                                     ? nlohmann::json(point.price_usd)
                                     : nlohmann::json();
  }
  nlohmann::json goals = nlohmann::json::array();
  for (const policies::SpeedGoal& goal : job.goals) {
    goals.push_back(
        {{"speed", goal.speed}, {"fast_limit_bytes", goal.limit_bytes}});
  }
  return {{"graph", advice.graph},
          {"system", advice.system},
          {"peak_bytes", job.peak_bytes},
          {"all_fast_ns", job.all_fast_ns},
          {"least_limit_bytes", job.least_limit_bytes},
          {"least_kernel", job.least_kernel},
          {"knee_bytes", job.knee_bytes},
          {"points", points},
          {"goals", goals}};
}

absl::Status DrawAdvice(const Advice& advice, const Installation& installation,
                        const std::string& path) {
  return DrawWithPython(installation.advice_plotter_path, AdviceToJson(advice),
                        path);
}

}  // namespace stowage::cli
