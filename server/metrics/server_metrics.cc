#include "server/metrics/server_metrics.h"

#include <array>

#include "server/metrics/families.h"

namespace stowage {
namespace {

using ::prometheus::Histogram;
using ::prometheus::Registry;

constexpr std::array<const char*, v1::StepMode_ARRAYSIZE> kModeLabels = {
    "unspecified", "demand", "profile", "plan"};

// Labels by PlanSkip; empty: the plan was not skipped.
constexpr std::array<const char*, v1::PlanSkip_ARRAYSIZE> kSkipLabels = {
    "", "demand-faster", "demand-trial"};

Histogram::BucketBoundaries PlanningBuckets() {
  return {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300};
}

// Most plans are within a tenth of their lower bound, and most steps near their
// prediction.
Histogram::BucketBoundaries BoundRatioBuckets() {
  return {1.001, 1.003, 1.01, 1.03, 1.1, 1.2, 1.3, 1.5, 2, 3, 5, 10};
}

Histogram::BucketBoundaries PredictionRatioBuckets() {
  return {0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 5};
}

}  // namespace

ServerMetrics::ServerMetrics(const std::string& version)
    : registry_(std::make_shared<Registry>()),
      calls_(*registry_),
      learning_(*registry_),
      plans_(CounterFamily(*registry_, "stowaged_plans_made_total",
                           "Plans made, verified and stored, by policy.")),
      planning_durations_(HistogramFamily(
          *registry_, "stowaged_planning_duration_seconds",
          "Time to make, verify and simulate a plan, by policy.")),
      bound_ratios_(HistogramFamily(
          *registry_, "stowaged_plan_bound_ratio",
          "Step time that a new plan predicts over a time that no plan can "
          "beat, by policy.")),
      steps_(CounterFamily(*registry_, "stowaged_steps_total",
                           "Training steps reported by agents, by mode.")),
      step_seconds_(CounterFamily(*registry_, "stowaged_step_seconds_total",
                                  "Time that those steps took, by mode.")),
      prediction_ratios_(
          HistogramFamily(*registry_, "stowaged_step_prediction_ratio",
                          "Measured over predicted time of steps that a plan "
                          "drove to their end.")
              .Add({}, PredictionRatioBuckets())),
      stall_seconds_(CounterFamily(*registry_, "stowaged_stall_seconds_total",
                                   "Time in which steps waited for moves.")
                         .Add({})),
      moved_bytes_(CounterFamily(
          *registry_, "stowaged_moved_bytes_total",
          "Bytes moved into (in) and out of (out) fast memory, as reported.")),
      fallbacks_(CounterFamily(*registry_, "stowaged_fallbacks_total",
                               "Surprises that ended plan mode in a step.")
                     .Add({})),
      skipped_plans_(CounterFamily(
          *registry_, "stowaged_skipped_plans_total",
          "Steps that went without their plan, surprises apart, by reason.")),
      dropped_steps_(CounterFamily(*registry_,
                                   "stowaged_telemetry_dropped_steps_total",
                                   "Steps that agents dropped unsent.")
                         .Add({})),
      repeated_steps_(CounterFamily(*registry_,
                                    "stowaged_telemetry_repeated_steps_total",
                                    "Steps that agents sent again.")
                          .Add({})),
      adaptive_answers_(CounterFamily(
          *registry_, "stowaged_adaptive_placements_total",
          "Windows answered to jobs that are off their plan, by source.")),
      hints_(CounterFamily(
          *registry_, "stowaged_hints_total",
          "Placement hints that came due in jobs, by what became of them.")),
      deleted_(CounterFamily(*registry_, "stowaged_retention_deleted_total",
                             "What was deleted to stay within the bounds of "
                             "what is kept, by kind.")) {
  for (const char* mode : kModeLabels) {
    steps_.Add({{"mode", mode}});
    step_seconds_.Add({{"mode", mode}});
  }
  for (const char* reason : kSkipLabels) {
    if (*reason != '\0') skipped_plans_.Add({{"reason", reason}});
  }
  for (const char* source : {"plan", "policy"}) {
    adaptive_answers_.Add({{"source", source}});
  }
  for (const char* outcome : {"taken", "ignored"}) {
    hints_.Add({{"outcome", outcome}});
  }
  for (const char* direction : {"in", "out"}) {
    moved_bytes_.Add({{"direction", direction}});
  }
  for (const char* kind : {"graph", "plan", "training", "version"}) {
    deleted_.Add({{"kind", kind}});
  }
  prometheus::BuildGauge()
      .Name("stowaged_build_info")
      .Help("1; the labels say what is running.")
      .Register(*registry_)
      .Add({{"version", version}})
      .Set(1);
}

void ServerMetrics::CountPlan(const std::string& policy, const MadePlan& made) {
  plans_.Add({{"policy", policy}}).Increment();
  planning_durations_.Add({{"policy", policy}}, PlanningBuckets())
      .Observe(absl::ToDoubleSeconds(made.planning_time));
  if (made.bound_ratio == 0) return;
  bound_ratios_.Add({{"policy", policy}}, BoundRatioBuckets())
      .Observe(made.bound_ratio);
}

void ServerMetrics::CountTelemetry(const TelemetryTotals& totals) {
  for (size_t mode = 0; mode < totals.steps.size(); ++mode) {
    steps_.Add({{"mode", kModeLabels[mode]}}).Increment(totals.steps[mode]);
    step_seconds_.Add({{"mode", kModeLabels[mode]}})
        .Increment(totals.step_seconds[mode]);
  }
  stall_seconds_.Increment(totals.stall_seconds);
  moved_bytes_.Add({{"direction", "in"}}).Increment(totals.moved_in_bytes);
  moved_bytes_.Add({{"direction", "out"}}).Increment(totals.moved_out_bytes);
  hints_.Add({{"outcome", "taken"}}).Increment(totals.hints_taken);
  hints_.Add({{"outcome", "ignored"}}).Increment(totals.hints_ignored);
  fallbacks_.Increment(totals.fallbacks);
  for (size_t skip = 1; skip < totals.skipped_plans.size(); ++skip) {
    skipped_plans_.Add({{"reason", kSkipLabels[skip]}})
        .Increment(totals.skipped_plans[skip]);
  }
  dropped_steps_.Increment(totals.dropped_steps);
  repeated_steps_.Increment(totals.repeated_steps);
}

void ServerMetrics::CountPlannedStep(const v1::StepTelemetry& step) {
  if (!IsAsPlanned(step)) return;
  prediction_ratios_.Observe(static_cast<double>(step.duration_ns()) /
                             static_cast<double>(step.predicted_duration_ns()));
}

void ServerMetrics::CountAdaptiveAnswer(v1::DecisionSource source) {
  const bool policy = source == v1::DECISION_SOURCE_POLICY;
  adaptive_answers_.Add({{"source", policy ? "policy" : "plan"}}).Increment();
}

void ServerMetrics::CountDeleted(const std::string& kind, int64_t count) {
  deleted_.Add({{"kind", kind}}).Increment(static_cast<double>(count));
}

}  // namespace stowage
