#include "agents/metrics/agent_metrics.h"

#include <algorithm>
#include <array>

namespace stowage::agent {
namespace {

using ::prometheus::BuildCounter;
using ::prometheus::BuildGauge;
using ::prometheus::BuildHistogram;
using ::prometheus::Histogram;

constexpr std::array<const char*, v1::StepMode_ARRAYSIZE> kModes = {
    "unspecified", "demand", "profile", "plan"};

Histogram::BucketBoundaries StepBuckets() {
  return {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100};
}

Histogram::BucketBoundaries PlanBuckets() {
  return {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300};
}

double Seconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

const char* ModeOf(const v1::StepTelemetry& step) {
  const bool known = v1::StepMode_IsValid(step.mode());
  return kModes[known ? step.mode() : v1::STEP_MODE_UNSPECIFIED];
}

}  // namespace

AgentMetrics::AgentMetrics(const std::string& version)
    : registry_(std::make_shared<prometheus::Registry>()),
      jobs_(BuildCounter()
                .Name("stowage_agent_jobs_total")
                .Help("Jobs that have begun.")
                .Register(*registry_)
                .Add({})),
      running_jobs_(BuildGauge()
                        .Name("stowage_agent_jobs_running")
                        .Help("Jobs that run.")
                        .Register(*registry_)
                        .Add({})),
      fast_limits_bytes_(BuildGauge()
                             .Name("stowage_agent_fast_limits_bytes")
                             .Help("What running jobs may have in fast memory.")
                             .Register(*registry_)
                             .Add({})),
      fast_peaks_bytes_(BuildGauge()
                            .Name("stowage_agent_fast_peaks_bytes")
                            .Help("The most that running jobs had in fast "
                                  "memory in their last steps.")
                            .Register(*registry_)
                            .Add({})),
      steps_(BuildCounter()
                 .Name("stowage_agent_steps_total")
                 .Help("Training steps, by what drove them.")
                 .Register(*registry_)),
      step_durations_(BuildHistogram()
                          .Name("stowage_agent_step_duration_seconds")
                          .Help("How long steps took, by what drove them.")
                          .Register(*registry_)),
      stalls_(BuildCounter()
                  .Name("stowage_agent_stall_seconds_total")
                  .Help("Time in which steps waited for moves.")
                  .Register(*registry_)
                  .Add({})),
      moved_in_bytes_(BuildCounter()
                          .Name("stowage_agent_slow_read_bytes_total")
                          .Help("Bytes that went from slow to fast memory.")
                          .Register(*registry_)
                          .Add({})),
      moved_out_bytes_(BuildCounter()
                           .Name("stowage_agent_slow_written_bytes_total")
                           .Help("Bytes that went from fast to slow memory.")
                           .Register(*registry_)
                           .Add({})),
      fallbacks_(BuildCounter()
                     .Name("stowage_agent_fallbacks_total")
                     .Help("Surprises that ended plan mode in a step.")
                     .Register(*registry_)
                     .Add({})),
      plans_(BuildCounter()
                 .Name("stowage_agent_plans_total")
                 .Help("Plans asked for, by status code.")
                 .Register(*registry_)),
      plan_durations_(BuildHistogram()
                          .Name("stowage_agent_plan_duration_seconds")
                          .Help("How long plans took that were made.")
                          .Register(*registry_)
                          .Add({}, PlanBuckets())) {
  BuildGauge()
      .Name("stowage_agent_build_info")
      .Help("Always 1; the label is the version.")
      .Register(*registry_)
      .Add({{"version", version}})
      .Set(1);
}

void AgentMetrics::CountJobStarted() {
  jobs_.Increment();
  running_jobs_.Increment();
}

void AgentMetrics::CountJobEnded() { running_jobs_.Decrement(); }

void AgentMetrics::SetFastUse(int64_t limits_bytes, int64_t peaks_bytes) {
  fast_limits_bytes_.Set(static_cast<double>(limits_bytes));
  fast_peaks_bytes_.Set(static_cast<double>(peaks_bytes));
}

void AgentMetrics::CountSteps(const std::vector<v1::StepTelemetry>& steps) {
  for (const v1::StepTelemetry& step : steps) {
    steps_.Add({{"mode", ModeOf(step)}}).Increment();
    step_durations_.Add({{"mode", ModeOf(step)}}, StepBuckets())
        .Observe(Seconds(step.duration_ns()));
    stalls_.Increment(Seconds(step.stall_ns()));
    moved_in_bytes_.Increment(static_cast<double>(step.moved_in_bytes()));
    moved_out_bytes_.Increment(static_cast<double>(step.moved_out_bytes()));
    fallbacks_.Increment(step.fallbacks());
  }
}

void AgentMetrics::CountPlan(const absl::Status& status, absl::Duration time) {
  plans_.Add({{"code", absl::StatusCodeToString(status.code())}}).Increment();
  if (status.ok()) plan_durations_.Observe(absl::ToDoubleSeconds(time));
}

}  // namespace stowage::agent
