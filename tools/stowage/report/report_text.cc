#include "tools/stowage/report/report_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tools/stowage/output/units.h"

namespace stowage::cli {
namespace {

constexpr size_t kMaxFallbackLines = 5;

std::string StepCounts(const JobReport& job) {
  int64_t demand = 0, profile = 0, plan = 0;
  for (const Step& step : job.steps) {
    demand += step.mode == StepMode::kDemand;
    profile += step.mode == StepMode::kProfile;
    plan += step.mode == StepMode::kPlan;
  }
  return absl::StrCat(job.steps.size() + job.dropped_steps, " steps (", demand,
                      " demand, ", profile, " profile, ", plan, " plan)");
}

// Another policy's plan drives a job whose DQN policy is still being trained.
std::string Planner(const JobReport& job, const std::string& requested_policy) {
  const bool planned = std::any_of(
      job.steps.begin(), job.steps.end(),
      [](const Step& step) { return step.mode == StepMode::kPlan; });
  if (!planned) return "";
  if (requested_policy.empty() || requested_policy == job.policy) {
    return absl::StrCat("; planned by ", job.policy);
  }
  return absl::StrCat("; planned by ", job.policy, ", since ", requested_policy,
                      " had no plan in time");
}

std::string LastStep(const Step& step) {
  std::string text =
      absl::StrCat("last step ", FormatDurationNs(step.duration_ns));
  if (step.predicted_duration_ns > 0) {
    absl::StrAppend(&text, ", predicted ",
                    FormatDurationNs(step.predicted_duration_ns));
  }
  absl::StrAppend(&text, ", moved ", FormatBytes(step.moved_in_bytes),
                  " in and ", FormatBytes(step.moved_out_bytes), " out");
  return text;
}

// Of the last step: under a limit in percent the first one finds the limit.
std::string FastPeak(const JobReport& job) {
  return absl::StrCat(
      "fast peak ", FormatBytes(job.steps.back().fast_peak_bytes),
      job.limit_bytes > 0
          ? absl::StrCat(" of ", FormatBytes(job.limit_bytes), " allowed")
          : ", no limit");
}

std::string Fallbacks(const JobReport& job) {
  std::string text;
  const size_t shown = std::min(job.fallbacks.size(), kMaxFallbackLines);
  for (size_t i = 0; i < shown; ++i) {
    const Fallback& fallback = job.fallbacks[i];
    absl::StrAppend(&text, "stowage:   step ", fallback.step, ": ",
                    fallback.reason, fallback.detail.empty() ? "" : ": ",
                    fallback.detail, "\n");
  }
  if (shown < job.fallbacks.size()) {
    absl::StrAppend(&text, "stowage:   and ", job.fallbacks.size() - shown,
                    " more; --report FILE has them all\n");
  }
  return text;
}

std::string JobText(const JobReport& job, const std::string& requested_policy) {
  std::string text =
      absl::StrCat("stowage: process ", job.pid, ": ", StepCounts(job),
                   Planner(job, requested_policy));
  if (!job.steps.empty()) {
    absl::StrAppend(&text, "; ", LastStep(job.steps.back()), "; ",
                    FastPeak(job));
  }
  absl::StrAppend(&text, "\n", Fallbacks(job));
  return text;
}

}  // namespace

std::string ReportToText(const RunReport& report) {
  if (report.jobs.empty()) {
    return "stowage: no process of the command trained through Stowage\n";
  }
  std::string text;
  for (const JobReport& job : report.jobs) {
    absl::StrAppend(&text, JobText(job, report.requested_policy));
  }
  return text;
}

}  // namespace stowage::cli
