#include "agents/metrics/job_series.h"

#include <optional>
#include <utility>

#include "absl/time/time.h"
#include "agents/metrics/step_mode_name.h"

namespace stowage::agent {
namespace {

using ::prometheus::ClientMetric;
using ::prometheus::MetricFamily;
using ::prometheus::MetricType;

double ToSeconds(int64_t ns) {
  return absl::ToDoubleSeconds(absl::Nanoseconds(ns));
}

// Returns nullopt for 0, which says that there is no such number.
std::optional<double> Known(double value) {
  if (value == 0) return std::nullopt;
  return value;
}

// One number of each job.
struct Series {
  const char* name;
  const char* help;
  MetricType type;
  std::optional<double> (*value)(const JobSums& job);
};

constexpr Series kSeries[] = {
    {"stowage_agent_job_fast_limit_bytes",
     "What a job may have in fast memory; absent: no limit, or not known yet.",
     MetricType::Gauge,
     [](const JobSums& job) {
       return Known(static_cast<double>(job.fast_limit_bytes));
     }},
    {"stowage_agent_job_fast_peak_bytes",
     "The most that a job had in fast memory in its last step.",
     MetricType::Gauge,
     [](const JobSums& job) -> std::optional<double> {
       return static_cast<double>(job.last_step.fast_peak_bytes());
     }},
    {"stowage_agent_job_last_step_seconds",
     "How long a job's last step took; absent before the first.",
     MetricType::Gauge,
     [](const JobSums& job) {
       return Known(ToSeconds(job.last_step.duration_ns()));
     }},
    {"stowage_agent_job_last_predicted_seconds",
     "What was predicted of a job's last step; absent: no plan drove it.",
     MetricType::Gauge,
     [](const JobSums& job) {
       return Known(ToSeconds(job.last_step.predicted_duration_ns()));
     }},
    {"stowage_agent_job_step_seconds_total", "The time of a job's steps.",
     MetricType::Counter,
     [](const JobSums& job) -> std::optional<double> {
       return job.duration_s;
     }},
    {"stowage_agent_job_stall_seconds_total",
     "Time in which a job's steps waited for moves.", MetricType::Counter,
     [](const JobSums& job) -> std::optional<double> { return job.stall_s; }},
    {"stowage_agent_job_slow_read_bytes_total",
     "Bytes of a job that went from slow to fast memory.", MetricType::Counter,
     [](const JobSums& job) -> std::optional<double> {
       return job.moved_in_bytes;
     }},
    {"stowage_agent_job_slow_written_bytes_total",
     "Bytes of a job that went from fast to slow memory.", MetricType::Counter,
     [](const JobSums& job) -> std::optional<double> {
       return job.moved_out_bytes;
     }},
};

// Appends a sample of a metric of this type.
void Append(MetricFamily& family, std::vector<ClientMetric::Label> labels,
            double value) {
  ClientMetric metric;
  metric.label = std::move(labels);
  if (family.type == MetricType::Counter) {
    metric.counter.value = value;
  } else {
    metric.gauge.value = value;
  }
  family.metric.push_back(std::move(metric));
}

void AppendSteps(MetricFamily& family, const std::string& job_id,
                 const JobSums& job) {
  for (size_t mode = 0; mode < kStepModeNames.size(); ++mode) {
    Append(family, {{"job_id", job_id}, {"mode", kStepModeNames[mode]}},
           job.steps[mode]);
  }
}

}  // namespace

void JobSeries::SetLimit(const std::string& job_id, int64_t fast_limit_bytes) {
  absl::MutexLock lock(&mutex_);
  jobs_[job_id].fast_limit_bytes = fast_limit_bytes;
}

void JobSeries::CountStep(const v1::StepTelemetry& step) {
  absl::MutexLock lock(&mutex_);
  const auto found = jobs_.find(step.job_id());
  if (found == jobs_.end()) return;
  JobSums& job = found->second;
  job.last_step = step;
  job.steps[StepModeIndex(step.mode())] += 1;
  job.duration_s += ToSeconds(step.duration_ns());
  job.stall_s += ToSeconds(step.stall_ns());
  job.moved_in_bytes += static_cast<double>(step.moved_in_bytes());
  job.moved_out_bytes += static_cast<double>(step.moved_out_bytes());
}

void JobSeries::End(const std::string& job_id) {
  absl::MutexLock lock(&mutex_);
  jobs_.erase(job_id);
}

std::vector<MetricFamily> JobSeries::Collect() const {
  absl::MutexLock lock(&mutex_);
  std::vector<MetricFamily> families = {
      {"stowage_agent_job_steps_total",
       "Training steps of a job, by what drove them.",
       MetricType::Counter,
       {}}};
  for (const auto& [id, job] : jobs_) AppendSteps(families[0], id, job);
  for (const Series& series : kSeries) {
    MetricFamily family{series.name, series.help, series.type, {}};
    for (const auto& [id, job] : jobs_) {
      const std::optional<double> value = series.value(job);
      if (value.has_value()) Append(family, {{"job_id", id}}, *value);
    }
    families.push_back(std::move(family));
  }
  return families;
}

}  // namespace stowage::agent
