#include "server/metrics/server_metrics.h"

#include <array>

namespace stowage {
namespace {

using ::prometheus::Counter;
using ::prometheus::Family;
using ::prometheus::Histogram;
using ::prometheus::Registry;

constexpr std::array<const char*, v1::StepMode_ARRAYSIZE> kModeLabels = {
    "unspecified", "demand", "profile", "plan"};

// Labels by PlanSkip; empty: the plan was not skipped.
constexpr std::array<const char*, v1::PlanSkip_ARRAYSIZE> kSkipLabels = {
    "", "demand-faster", "demand-trial"};

// Labels by TrainingState; empty: no training ends in this state.
constexpr std::array<const char*, v1::TrainingState_ARRAYSIZE> kStateLabels = {
    "", "", "", "succeeded", "cancelled", "failed"};

Family<Counter>& CounterFamily(Registry& registry, const char* name,
                               const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

Family<Histogram>& HistogramFamily(Registry& registry, const char* name,
                                   const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

Histogram::BucketBoundaries RpcBuckets() {
  return {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
          0.25,   0.5,   1,      2.5,   5,    10,    30,   60};
}

Histogram::BucketBoundaries PlanningBuckets() {
  return {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300};
}

}  // namespace

ServerMetrics::ServerMetrics(const std::string& version)
    : registry_(std::make_shared<Registry>()),
      rpcs_(CounterFamily(*registry_, "stowaged_rpcs_total",
                          "RPCs that ended, by method and status code.")),
      rpc_durations_(HistogramFamily(
          *registry_, "stowaged_rpc_duration_seconds",
          "Time from the start of an RPC to its status, by method.")),
      refused_connections_(
          CounterFamily(*registry_, "stowaged_refused_connections_total",
                        "Connections closed because no descriptor was left.")
              .Add({})),
      refused_calls_(
          CounterFamily(*registry_, "stowaged_refused_calls_total",
                        "Calls that the role of their caller may not make.")
              .Add({})),
      plans_(CounterFamily(*registry_, "stowaged_plans_made_total",
                           "Plans made, verified and stored, by policy.")),
      planning_durations_(HistogramFamily(
          *registry_, "stowaged_planning_duration_seconds",
          "Time to make, verify and simulate a plan, by policy.")),
      steps_(CounterFamily(*registry_, "stowaged_steps_total",
                           "Training steps reported by agents, by mode.")),
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
      trainings_(CounterFamily(*registry_, "stowaged_trainings_total",
                               "DQN trainings that ended, by state.")),
      episodes_(CounterFamily(*registry_, "stowaged_training_episodes_total",
                              "Episodes of DQN trainings that ended.")
                    .Add({})),
      last_reward_(prometheus::BuildGauge()
                       .Name("stowaged_training_last_reward")
                       .Help("Reward of the last episode of a DQN training.")
                       .Register(*registry_)
                       .Add({})),
      deleted_(CounterFamily(*registry_, "stowaged_retention_deleted_total",
                             "What was deleted to stay within the bounds of "
                             "what is kept, by kind.")) {
  for (const char* state : kStateLabels) {
    if (*state != '\0') trainings_.Add({{"state", state}});
  }
  for (const char* mode : kModeLabels) steps_.Add({{"mode", mode}});
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
  prometheus::BuildGauge()
      .Name("stowaged_build_info")
      .Help("1; the labels say what is running.")
      .Register(*registry_)
      .Add({{"version", version}})
      .Set(1);
}

void ServerMetrics::CountRpc(const std::string& method, const std::string& code,
                             absl::Duration duration) {
  rpcs_.Add({{"method", method}, {"code", code}}).Increment();
  rpc_durations_.Add({{"method", method}}, RpcBuckets())
      .Observe(absl::ToDoubleSeconds(duration));
}

void ServerMetrics::CountRefusedConnection() {
  refused_connections_.Increment();
}

void ServerMetrics::CountRefusedCall() { refused_calls_.Increment(); }

void ServerMetrics::CountPlan(const std::string& policy,
                              absl::Duration planning_time) {
  plans_.Add({{"policy", policy}}).Increment();
  planning_durations_.Add({{"policy", policy}}, PlanningBuckets())
      .Observe(absl::ToDoubleSeconds(planning_time));
}

void ServerMetrics::CountTelemetry(const TelemetryTotals& totals) {
  for (size_t mode = 0; mode < totals.steps.size(); ++mode) {
    steps_.Add({{"mode", kModeLabels[mode]}}).Increment(totals.steps[mode]);
  }
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

void ServerMetrics::CountAdaptiveAnswer(v1::DecisionSource source) {
  const bool policy = source == v1::DECISION_SOURCE_POLICY;
  adaptive_answers_.Add({{"source", policy ? "policy" : "plan"}}).Increment();
}

void ServerMetrics::CountEpisode(double reward) {
  episodes_.Increment();
  last_reward_.Set(reward);
}

void ServerMetrics::CountTraining(v1::TrainingState state) {
  trainings_.Add({{"state", kStateLabels[state]}}).Increment();
}

void ServerMetrics::CountDeleted(const std::string& kind, int64_t count) {
  deleted_.Add({{"kind", kind}}).Increment(static_cast<double>(count));
}

}  // namespace stowage
