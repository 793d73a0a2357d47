#include "tools/stowage/report/report_text.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/stowage/output/units.h"

namespace stowage::cli {
namespace {

constexpr size_t kMaxEventLines = 5;
// Of a process that no agent took as a job (client_sdk/torch/library.cc). It has
// said why.
constexpr int kExitNotAttached = 78;

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

// Names the policy that made the plan, and the requested one if that is
// another: another policy's plan drives a job whose DQN policy is still being
// trained.
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

int64_t Median(std::vector<int64_t> values) {
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Says in how many steps demand mode was faster than the plan.
std::string WithoutPlan(const JobReport& job) {
  std::vector<int64_t> demand_ns, plan_ns;
  for (const Step& step : job.steps) {
    // One may turn out to be of a kind that has yet to be profiled.
    if (step.plan_skip != PlanSkip::kDemandFaster ||
        step.mode != StepMode::kDemand) {
      continue;
    }
    demand_ns.push_back(step.duration_ns);
    plan_ns.push_back(step.plan_median_ns);
  }
  if (demand_ns.empty()) return "";
  return absl::StrCat(
      "stowage:   ", demand_ns.size(),
      demand_ns.size() == 1 ? " step" : " steps",
      " ran without their plan: demand mode was faster when both "
      "were tried (they took ",
      FormatDurationNs(Median(demand_ns)), ", planned ones ",
      FormatDurationNs(Median(plan_ns)), ")\n");
}

// Says how many steps each phase of the script had, and how long they took.
std::string Phases(const JobReport& job) {
  std::vector<std::string> names;  // as they appear
  std::map<std::string, std::vector<int64_t>> durations;
  for (const Step& step : job.steps) {
    if (step.phase.empty()) continue;
    std::vector<int64_t>& of_phase = durations[step.phase];
    if (of_phase.empty()) names.push_back(step.phase);
    of_phase.push_back(step.duration_ns);
  }
  std::string text;
  for (const std::string& name : names) {
    const std::vector<int64_t>& all = durations[name];
    absl::StrAppend(&text, "stowage:   phase ", name, ": ", all.size(),
                    all.size() == 1 ? " step, " : " steps, median ",
                    FormatDurationNs(Median(all)), "\n");
  }
  return text;
}

// Says what the job was told, after its second step, to expect.
std::string Expected(const JobReport& job) {
  if (!job.forecast.has_value() || job.forecast->Slowdown() == 0) return "";
  return absl::StrFormat("; %s%.3gx the time of training alone expected",
                         job.forecast->planned ? "" : "no plan, ",
                         job.forecast->Slowdown());
}

std::string LastStep(const Step& step) {
  std::string text =
      absl::StrCat("last step ", FormatDurationNs(step.duration_ns));
  if (step.predicted.step_ns > 0) {
    absl::StrAppend(&text, ", predicted ",
                    FormatDurationNs(step.predicted.step_ns));
  }
  absl::StrAppend(&text, ", moved ", FormatBytes(step.moved_in_bytes),
                  " in and ", FormatBytes(step.moved_out_bytes), " out");
  return text;
}

// Says how high fast memory rose. Treats steps apart that were above their
// limit, as the first one may be under a limit in percent.
std::string FastPeak(const JobReport& job) {
  if (job.limit_bytes == 0) {
    int64_t peak_bytes = 0;
    for (const Step& step : job.steps) {
      peak_bytes = std::max(peak_bytes, step.fast_peak_bytes);
    }
    return absl::StrCat("fast peak ", FormatBytes(peak_bytes), ", no limit");
  }
  int64_t within_bytes = 0;
  const Step* highest = nullptr;
  for (const Step& step : job.steps) {
    if (step.fast_peak_bytes <= step.limit_bytes) {
      within_bytes = std::max(within_bytes, step.fast_peak_bytes);
    } else if (highest == nullptr ||
               step.fast_peak_bytes > highest->fast_peak_bytes) {
      highest = &step;
    }
  }
  std::string text =
      absl::StrCat("fast peak ", FormatBytes(within_bytes), " of ",
                   FormatBytes(job.limit_bytes), " allowed");
  if (highest != nullptr) {
    absl::StrAppend(&text, ", but ", FormatBytes(highest->fast_peak_bytes),
                    " of ", FormatBytes(highest->limit_bytes), " in step ",
                    highest->index);
  }
  return text;
}

std::string Events(const JobReport& job) {
  std::string text;
  const size_t shown = std::min(job.events.size(), kMaxEventLines);
  for (size_t i = 0; i < shown; ++i) {
    const JobEvent& event = job.events[i];
    absl::StrAppend(&text, "stowage:   step ", event.step, ": ", event.reason,
                    event.detail.empty() ? "" : ": ", event.detail, "\n");
  }
  if (shown < job.events.size()) {
    absl::StrAppend(&text, "stowage:   and ", job.events.size() - shown,
                    " more; --report FILE has them all\n");
  }
  return text;
}

std::string JobText(const JobReport& job, const std::string& requested_policy) {
  std::string text =
      absl::StrCat("stowage: process ", job.pid, ": ", StepCounts(job),
                   Planner(job, requested_policy), Expected(job));
  if (!job.steps.empty()) {
    absl::StrAppend(&text, "; ", LastStep(job.steps.back()), "; ",
                    FastPeak(job));
  }
  absl::StrAppend(&text, "\n", WithoutPlan(job), Phases(job), Events(job));
  return text;
}

// Returns whether the process loaded PyTorch and never trained, as those do in
// which torch.compile compiles.
bool IsIdle(const JobReport& job) {
  return job.steps.empty() && job.dropped_steps == 0 && job.events.empty();
}

}  // namespace

std::string ReportToText(const RunReport& report) {
  if (report.jobs.empty() && report.jobs_are_elsewhere &&
      report.exit_status != kExitNotAttached) {
    return "stowage: no report: the agent leaves it in its own --report-dir, "
           "if it has one; name that with --agent-report-dir\n";
  }
  if (report.jobs.empty()) {
    return "stowage: no process of the command trained through Stowage\n";
  }
  const bool all_idle = absl::c_all_of(report.jobs, IsIdle);
  std::string text;
  for (const JobReport& job : report.jobs) {
    if (IsIdle(job) && !all_idle) continue;
    absl::StrAppend(&text, JobText(job, report.requested_policy));
  }
  if (report.lower_bound_ns > 0) {
    absl::StrAppend(&text,
                    "stowage: no plan of the step planned last can be "
                    "predicted to take less than ",
                    FormatDurationNs(report.lower_bound_ns), "\n");
  }
  return text;
}

}  // namespace stowage::cli
