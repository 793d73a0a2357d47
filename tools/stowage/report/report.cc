#include "tools/stowage/report/report.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace stowage::cli {
namespace {

nlohmann::json SkipToJson(PlanSkip skip) {
  switch (skip) {
    case PlanSkip::kNone:
      return nullptr;
    case PlanSkip::kDemandFaster:
      return "demand-faster";
    case PlanSkip::kDemandTrial:
      return "demand-trial";
  }
  return nullptr;
}

nlohmann::json PhaseToJson(const std::string& phase) {
  return phase.empty() ? nlohmann::json(nullptr) : nlohmann::json(phase);
}

nlohmann::json TimesToJson(const Step& step) {
  const session::StepTimes& times = step.times;
  return {
      {"kernels_ns", times.kernels_ns},
      {"gaps_ns", times.gaps_ns},
      {"stall_in_ns", times.stall_in_ns},
      {"stall_out_ns", times.stall_out_ns},
      {"faults_ns", times.faults_ns},
      {"emulated_ns", times.emulated_ns},
      {"plan_wait_ns", times.plan_wait_ns},
      {"boundary_ns", step.BoundaryNs()},
  };
}

nlohmann::json StepToJson(const Step& step) {
  nlohmann::json json = {
      {"index", step.index},
      {"mode", ModeName(step.mode)},
      {"kind", step.kind},
      {"phase", PhaseToJson(step.phase)},
      {"kernel_count", step.kernel_count},
      {"duration_ns", step.duration_ns},
      {"predicted_duration_ns", step.predicted.step_ns},
      {"stall_ns", step.stall_ns},
      {"fast_peak_bytes", step.fast_peak_bytes},
      {"moved_in_bytes", step.moved_in_bytes},
      {"moved_out_bytes", step.moved_out_bytes},
      {"hints_taken", step.hints_taken},
      {"hints_ignored", step.hints_ignored},
      {"plan_skip", SkipToJson(step.plan_skip)},
      {"plan_median_ns", step.plan_median_ns},
      {"limit_bytes", step.limit_bytes},
      {"times", TimesToJson(step)},
      {"beside_out_ns", step.beside.out_ns},
      {"beside_in_ns", step.beside.in_ns},
      {"predicted_gaps_ns", step.predicted.gaps_ns},
      {"predicted_stall_ns", step.predicted.stall_ns},
      {"predicted_stream_ns", step.predicted.stream_ns},
      {"predicted_slowdown_ns", step.predicted.slowdown_ns},
      {"processor_ns", step.processor_ns},
      {"page_faults", step.page_faults},
  };
  if (step.overheads.has_value()) {
    json["system_ns"] = step.overheads->system_ns;
    json["mapping_ns"] = step.overheads->mapping_ns;
    json["agent_processor_ns"] = step.overheads->agent_processor_ns;
  }
  return json;
}

nlohmann::json EventToJson(const JobEvent& event) {
  return {
      {"step", event.step},
      {"kernel", event.kernel},
      {"reason", event.reason},
      {"detail", event.detail},
  };
}

nlohmann::json KernelToJson(const KernelTimes& kernel) {
  return {
      {"name", kernel.name},
      {"duration_ns", kernel.duration_ns},
      {"beside_out_ns", kernel.beside.out_ns},
      {"beside_in_ns", kernel.beside.in_ns},
      {"planned_ns", kernel.planned_ns},
      {"stall_ns", kernel.stall_ns},
      {"faults_ns", kernel.faults_ns},
  };
}

nlohmann::json ForecastToJson(const std::optional<Forecast>& forecast) {
  if (!forecast.has_value()) return nullptr;
  return {
      {"planned", forecast->planned},
      {"slowdown", forecast->Slowdown()},
      {"alone_step_ns", forecast->alone_step_ns},
      {"step_ns", forecast->step_ns},
      {"kernel", forecast->kernel},
      {"least_limit_bytes", forecast->least_limit_bytes},
      {"line", forecast->line},
  };
}

nlohmann::json JobToJson(const JobReport& job) {
  nlohmann::json json = {
      {"job_id", job.job_id},
      {"pid", job.pid},
      {"command", job.command},
      {"policy", job.policy},
      {"slow", job.slow},
      {"limit_bytes", job.limit_bytes},
      {"tensor_peak_bytes", job.tensor_peak_bytes},
      {"least_limit_bytes", job.least_limit_bytes},
      {"forecast", ForecastToJson(job.forecast)},
      {"dropped_steps", job.dropped_steps},
      {"steps", nlohmann::json::array()},
      {"kernels", nlohmann::json::array()},
      {"events", nlohmann::json::array()},
  };
  for (const Step& step : job.steps) json["steps"].push_back(StepToJson(step));
  for (const KernelTimes& kernel : job.kernels) {
    json["kernels"].push_back(KernelToJson(kernel));
  }
  for (const JobEvent& event : job.events) {
    json["events"].push_back(EventToJson(event));
  }
  return json;
}

}  // namespace

const char* ModeName(StepMode mode) {
  switch (mode) {
    case StepMode::kDemand:
      return "demand";
    case StepMode::kProfile:
      return "profile";
    case StepMode::kPlan:
      return "plan";
  }
  return "demand";
}

// Kernels of several threads may run at the same time.
int64_t Step::BoundaryNs() const {
  const int64_t known_ns = times.kernels_ns + times.gaps_ns +
                           times.stall_in_ns + times.stall_out_ns +
                           times.faults_ns + times.emulated_ns +
                           times.plan_wait_ns;
  return std::max<int64_t>(0, duration_ns - known_ns);
}

RunReport MakeRunReport(std::vector<JobReport> jobs, std::string command,
                        int exit_status) {
  std::sort(jobs.begin(), jobs.end(),
            [](const JobReport& a, const JobReport& b) {
              return std::make_tuple(-std::ssize(a.steps), a.pid) <
                     std::make_tuple(-std::ssize(b.steps), b.pid);
            });
  return {.command = std::move(command),
          .exit_status = exit_status,
          .jobs = std::move(jobs)};
}

nlohmann::json ReportToJson(const RunReport& report) {
  nlohmann::json json =
      JobToJson(report.jobs.empty() ? JobReport{} : report.jobs.front());
  json["command"] = report.command;
  json["exit_status"] = report.exit_status;
  json["lower_bound_ns"] = report.lower_bound_ns;
  json["jobs"] = nlohmann::json::array();
  for (const JobReport& job : report.jobs) {
    json["jobs"].push_back(JobToJson(job));
  }
  return json;
}

}  // namespace stowage::cli
