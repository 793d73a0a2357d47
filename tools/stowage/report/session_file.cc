#include "tools/stowage/report/session_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <system_error>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client_sdk/session/packed_report.h"
#include "client_sdk/session/session.h"

namespace stowage::cli {
namespace {

template <size_t N>
std::string BoundedString(const char (&array)[N]) {
  return std::string(array, strnlen(array, N));
}

std::optional<StepMode> ModeFrom(uint32_t mode) {
  switch (mode) {
    case session::kStepDemand:
      return StepMode::kDemand;
    case session::kStepProfile:
      return StepMode::kProfile;
    case session::kStepPlan:
      return StepMode::kPlan;
    default:
      return std::nullopt;
  }
}

std::optional<PlanSkip> SkipFrom(uint32_t skip) {
  switch (skip) {
    case session::kPlanNotSkipped:
      return PlanSkip::kNone;
    case session::kDemandFaster:
      return PlanSkip::kDemandFaster;
    case session::kDemandTrial:
      return PlanSkip::kDemandTrial;
    default:
      return std::nullopt;
  }
}

// Returns the step; nullopt for a record that no process has written whole.
std::optional<Step> StepFrom(const session::StepRecord& record) {
  const std::optional<StepMode> mode = ModeFrom(record.mode);
  const std::optional<PlanSkip> skip = SkipFrom(record.plan_skip);
  const session::StepTimes& times = record.times;
  const auto [least, most] = std::minmax({record.index,
                                          record.kernel_count,
                                          record.duration_ns,
                                          record.predicted.step_ns,
                                          record.stall_ns,
                                          record.fast_peak_bytes,
                                          record.moved_in_bytes,
                                          record.moved_out_bytes,
                                          record.hints_taken,
                                          record.hints_ignored,
                                          record.plan_median_ns,
                                          record.limit_bytes,
                                          times.kernels_ns,
                                          times.gaps_ns,
                                          times.stall_in_ns,
                                          times.stall_out_ns,
                                          times.faults_ns,
                                          times.emulated_ns,
                                          times.plan_wait_ns,
                                          record.beside.out_ns,
                                          record.beside.in_ns,
                                          record.predicted.gaps_ns,
                                          record.predicted.stall_ns,
                                          record.predicted.stream_ns,
                                          record.predicted.slowdown_ns,
                                          record.processor_ns,
                                          record.page_faults,
                                          record.system_ns,
                                          record.mapping_ns,
                                          record.agent_processor_ns});
  if (!mode || !skip || least < 0 || most > kMostOfAStep) return std::nullopt;
  return Step{
      .index = record.index,
      .mode = *mode,
      .kernel_count = record.kernel_count,
      .duration_ns = record.duration_ns,
      .predicted = record.predicted,
      .stall_ns = record.stall_ns,
      .fast_peak_bytes = record.fast_peak_bytes,
      .moved_in_bytes = record.moved_in_bytes,
      .moved_out_bytes = record.moved_out_bytes,
      .hints_taken = record.hints_taken,
      .hints_ignored = record.hints_ignored,
      .plan_skip = *skip,
      .plan_median_ns = record.plan_median_ns,
      .limit_bytes = record.limit_bytes,
      .times = times,
      .beside = record.beside,
      .processor_ns = record.processor_ns,
      .page_faults = record.page_faults,
      .overheads = Overheads{.system_ns = record.system_ns,
                             .mapping_ns = record.mapping_ns,
                             .agent_processor_ns = record.agent_processor_ns},
      .phase = BoundedString(record.phase)};
}

void AppendSteps(const session::StepLog& log, JobReport& job) {
  const uint64_t written = log.written.load(std::memory_order_relaxed);
  const uint64_t kept = std::min(written, session::kStepEntries);
  absl::flat_hash_map<uint64_t, int32_t> kinds;  // by signature
  for (uint64_t n = written - kept; n != written; ++n) {
    const session::StepRecord& record = log.entries[n % session::kStepEntries];
    std::optional<Step> step = StepFrom(record);
    if (!step) continue;
    step->kind =
        kinds.try_emplace(record.signature, kinds.size()).first->second;
    job.steps.push_back(*step);
  }
  // A hostile counter may be anything, and a count for people must be 0 or
  // more.
  const uint64_t dropped = written - job.steps.size();
  job.dropped_steps = static_cast<int64_t>(
      std::min<uint64_t>(dropped, std::numeric_limits<int64_t>::max()));
}

void AppendEvents(const session::EventLog& log, JobReport& job) {
  const uint64_t written = log.written.load(std::memory_order_relaxed);
  const uint64_t kept = std::min(written, session::kEventEntries);
  for (uint64_t n = written - kept; n != written; ++n) {
    const session::EventRecord& record =
        log.entries[n % session::kEventEntries];
    std::string reason = BoundedString(record.reason);
    if (reason.empty()) continue;
    job.events.push_back({.step = record.step,
                          .kernel = record.kernel,
                          .reason = std::move(reason),
                          .detail = BoundedString(record.detail)});
  }
}

void AppendKernels(const session::KernelLog& log, JobReport& job) {
  const uint64_t written = std::min<uint64_t>(
      log.written.load(std::memory_order_relaxed), session::kMaxKernels);
  for (uint64_t k = 0; k != written; ++k) {
    const session::KernelTimes& times = log.entries[k];
    const auto [least, most] =
        std::minmax({times.duration_ns, times.beside.out_ns, times.beside.in_ns,
                     times.planned_ns, times.stall_ns, times.faults_ns});
    if (least < 0 || most > kMostKernelNs) return job.kernels.clear();
    job.kernels.push_back({.name = BoundedString(times.name),
                           .duration_ns = times.duration_ns,
                           .beside = times.beside,
                           .planned_ns = times.planned_ns,
                           .stall_ns = times.stall_ns,
                           .faults_ns = times.faults_ns});
  }
}

std::optional<Forecast> ForecastFrom(const session::Forecast& forecast) {
  const uint32_t kind = forecast.kind.load(std::memory_order_acquire);
  if (kind != session::kForecastPlan && kind != session::kForecastNoPlan) {
    return std::nullopt;
  }
  const int64_t least = std::min(
      {forecast.alone_step_ns, forecast.step_ns, forecast.least_limit_bytes});
  if (least < 0) return std::nullopt;
  return Forecast{.planned = kind == session::kForecastPlan,
                  .kernel = forecast.kernel,
                  .alone_step_ns = forecast.alone_step_ns,
                  .step_ns = forecast.step_ns,
                  .least_limit_bytes = forecast.least_limit_bytes,
                  .line = BoundedString(forecast.line)};
}

JobReport JobFrom(const session::Report& report) {
  const auto at_least_zero = [](const std::atomic<int64_t>& value) {
    return std::max<int64_t>(value.load(std::memory_order_relaxed), 0);
  };
  JobReport job{.job_id = BoundedString(report.job_id),
                .pid = report.pid,
                .command = BoundedString(report.command),
                .policy = BoundedString(report.policy),
                .slow = BoundedString(report.slow),
                .limit_bytes = at_least_zero(report.limit_bytes),
                .tensor_peak_bytes = at_least_zero(report.tensor_peak_bytes),
                .least_limit_bytes = at_least_zero(report.least_limit_bytes),
                .forecast = ForecastFrom(report.forecast)};
  AppendSteps(report.steps, job);
  AppendEvents(report.process_events, job);
  AppendEvents(report.agent_events, job);
  AppendKernels(report.kernels, job);
  std::stable_sort(
      job.events.begin(), job.events.end(),
      [](const JobEvent& a, const JobEvent& b) { return a.step < b.step; });
  return job;
}

absl::Status Damaged(const std::string& path, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("session report '", path, "' ", what,
                   "; the job or its agent ended while it was written"));
}

}  // namespace

absl::StatusOr<JobReport> ReadSessionFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  // One byte more than any report has shows that a file has too many.
  std::string bytes(sizeof(session::Report) + 1, '\0');
  file.read(bytes.data(), bytes.size());
  bytes.resize(file.gcount());
  if (!file && !file.eof()) return Damaged(path, "cannot be read");
  auto report = std::make_unique<session::Report>();
  const bool whole = session::UnpackReport(bytes, report.get());
  if (!whole && bytes.size() < session::kReportHeadBytes) {
    return Damaged(path, absl::StrCat("ends after ", bytes.size(), " bytes"));
  }
  if (report->magic != session::kMagic) {
    return Damaged(path, "is not a session report");
  }
  if (report->version != session::kVersion) {
    return Damaged(path, absl::StrCat("has version ", report->version,
                                      " instead of ", session::kVersion));
  }
  if (!whole) {
    return Damaged(path,
                   absl::StrCat("does not have the length of its content: ",
                                bytes.size(), " bytes"));
  }
  return JobFrom(*report);
}

Sessions ReadSessions(const std::string& directory, const std::string& run_id) {
  std::error_code error;
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename();
    if (absl::StartsWith(name, absl::StrCat(run_id, "-")) &&
        absl::EndsWith(name, ".session")) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  Sessions sessions;
  for (const std::string& path : paths) {
    absl::StatusOr<JobReport> job = ReadSessionFile(path);
    if (job.ok()) {
      sessions.jobs.push_back(*std::move(job));
    } else {
      sessions.damaged.push_back(job.status());
    }
  }
  return sessions;
}

}  // namespace stowage::cli
