#include "agents/metrics/agent_metrics.h"

#include <array>
#include <cerrno>

#include "agents/metrics/step_mode_name.h"
#include "client_sdk/session/error_text.h"

namespace stowage::agent {
namespace {

using ::prometheus::BuildCounter;
using ::prometheus::BuildGauge;
using ::prometheus::BuildHistogram;
using ::prometheus::Histogram;

Histogram::BucketBoundaries StepBuckets() {
  return {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100};
}

Histogram::BucketBoundaries PlanBuckets() {
  return {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300};
}

Histogram::BucketBoundaries PredictionRatioBuckets() {
  return {0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 5};
}

prometheus::Labels LabelsOf(const TierPlace& place) {
  return {{"tier", place.tier}, {"medium", place.medium}};
}

constexpr std::array<const char*, 5> kMoveErrors = {
    "io", "no-space", "checksum", "refused", "other"};

// Codes that occur in practice. A rate does not see the first of a series that
// begins with it.
constexpr std::array<const char*, 4> kPlanCodes = {
    "OK", "FAILED_PRECONDITION", "RESOURCE_EXHAUSTED", "UNAVAILABLE"};
constexpr std::array<const char*, 2> kRefusalCodes = {"INVALID_ARGUMENT",
                                                      "RESOURCE_EXHAUSTED"};

// Returns one of kMoveErrors.
const char* NameOf(int error) {
  switch (error) {
    case EIO:
      return "io";
    case ENOSPC:
    case EDQUOT:
      return "no-space";
    case session::kBadSum:
      return "checksum";
    case EINVAL:
      return "refused";
    default:
      return "other";
  }
}

// Returns whether a plan drove the step to its end.
bool IsAsPlanned(const v1::StepTelemetry& step) {
  return step.mode() == v1::STEP_MODE_PLAN && step.fallbacks() == 0 &&
         step.predicted_duration_ns() > 0;
}

double Seconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

}  // namespace

AgentMetrics::AgentMetrics(const std::string& version, const TierPlace& slow,
                           int64_t endurance_bytes)
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
      prediction_ratios_(BuildHistogram()
                             .Name("stowage_agent_step_prediction_ratio")
                             .Help("Measured over predicted time of steps that "
                                   "a plan drove to their end.")
                             .Register(*registry_)
                             .Add({}, PredictionRatioBuckets())),
      used_bytes_(BuildGauge()
                      .Name("stowage_agent_tier_used_bytes")
                      .Help("What running jobs have taken of a tier.")
                      .Register(*registry_)),
      capacity_bytes_(BuildGauge()
                          .Name("stowage_agent_tier_capacity_bytes")
                          .Help("What running jobs may take of a slow tier.")
                          .Register(*registry_)),
      moved_in_bytes_(BuildCounter()
                          .Name("stowage_agent_slow_read_bytes_total")
                          .Help("Bytes that went from slow to fast memory.")
                          .Register(*registry_)),
      moved_out_bytes_(BuildCounter()
                           .Name("stowage_agent_slow_written_bytes_total")
                           .Help("Bytes that went from fast to slow memory.")
                           .Register(*registry_)),
      failed_moves_(BuildCounter()
                        .Name("stowage_agent_failed_moves_total")
                        .Help("Copies between tiers that failed, by cause.")
                        .Register(*registry_)),
      refused_jobs_(BuildCounter()
                        .Name("stowage_agent_refused_jobs_total")
                        .Help("Jobs that were refused, by status code.")
                        .Register(*registry_)),
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
  BuildGauge()
      .Name("stowage_agent_slow_endurance_bytes")
      .Help(
          "Bytes that the default slow tier's device may be written in its "
          "life, as stated; 0: not stated.")
      .Register(*registry_)
      .Add(LabelsOf(slow))
      .Set(static_cast<double>(endurance_bytes));
  SetTierUse(slow, 0, 0);
  moved_in_bytes_.Add(LabelsOf(slow));
  moved_out_bytes_.Add(LabelsOf(slow));
  for (const char* mode : kStepModeNames) {
    steps_.Add({{"mode", mode}});
    step_durations_.Add({{"mode", mode}}, StepBuckets());
  }
  for (const char* cause : kMoveErrors) failed_moves_.Add({{"cause", cause}});
  for (const char* code : kPlanCodes) plans_.Add({{"code", code}});
  for (const char* code : kRefusalCodes) refused_jobs_.Add({{"code", code}});
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

void AgentMetrics::SetTierUse(const TierPlace& place, int64_t used_bytes,
                              std::optional<int64_t> capacity_bytes) {
  used_bytes_.Add(LabelsOf(place)).Set(static_cast<double>(used_bytes));
  if (!capacity_bytes.has_value()) return;
  capacity_bytes_.Add(LabelsOf(place))
      .Set(static_cast<double>(*capacity_bytes));
}

void AgentMetrics::CountStep(const v1::StepTelemetry& step,
                             const TierPlace& slow) {
  const char* mode = StepModeName(step.mode());
  steps_.Add({{"mode", mode}}).Increment();
  step_durations_.Add({{"mode", mode}}, StepBuckets())
      .Observe(Seconds(step.duration_ns()));
  if (IsAsPlanned(step)) {
    prediction_ratios_.Observe(
        static_cast<double>(step.duration_ns()) /
        static_cast<double>(step.predicted_duration_ns()));
  }
  stalls_.Increment(Seconds(step.stall_ns()));
  moved_in_bytes_.Add(LabelsOf(slow))
      .Increment(static_cast<double>(step.moved_in_bytes()));
  moved_out_bytes_.Add(LabelsOf(slow))
      .Increment(static_cast<double>(step.moved_out_bytes()));
  fallbacks_.Increment(step.fallbacks());
}

void AgentMetrics::CountPlan(const absl::Status& status, absl::Duration time) {
  plans_.Add({{"code", absl::StatusCodeToString(status.code())}}).Increment();
  if (status.ok()) plan_durations_.Observe(absl::ToDoubleSeconds(time));
}

void AgentMetrics::CountFailedMove(int error) {
  failed_moves_.Add({{"cause", NameOf(error)}}).Increment();
}

void AgentMetrics::CountRefusedJob(const absl::Status& why) {
  refused_jobs_.Add({{"code", absl::StatusCodeToString(why.code())}})
      .Increment();
}

}  // namespace stowage::agent
