// Counts what stowaged does, for Prometheus. docs/reference-stowaged.md lists
// the metrics.
//
//   ServerMetrics metrics("0.1.0");
//   metrics.CountPlan("belady", {.planning_time = absl::Milliseconds(12)});
//   metrics.calls().CountRefusedCall();
//   HttpPage page = MetricsPage({metrics.registry()});
#ifndef STOWAGE_SERVER_METRICS_SERVER_METRICS_H_
#define STOWAGE_SERVER_METRICS_SERVER_METRICS_H_

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"
#include "server/fleet/telemetry_intake.h"
#include "server/metrics/call_metrics.h"
#include "server/metrics/learning_metrics.h"
#include "server/placement/made_plan.h"
#include "stowage/v1/node.pb.h"
#include "stowage/v1/placement.pb.h"

namespace stowage {

// Thread-safe. Labels come from fixed sets (methods, codes, policies, modes,
// directions, sources, outcomes, states), so that the number of series is
// bounded.
class ServerMetrics {
 public:
  // `version` becomes the label of stowaged_build_info.
  explicit ServerMetrics(const std::string& version);

  CallMetrics& calls() { return calls_; }
  LearningMetrics& learning() { return learning_; }

  // Counts a plan that was made, and not one that was found in the store.
  // `policy` is a name of the registry.
  void CountPlan(const std::string& policy, const MadePlan& made);

  void CountTelemetry(const TelemetryTotals& totals);
  // Notes how long a step took that the totals have, if a plan drove it to its
  // end.
  void CountPlannedStep(const v1::StepTelemetry& step);

  // Counts an answer to a job that asked, on a Place stream, to adapt.
  void CountAdaptiveAnswer(v1::DecisionSource source);

  // Counts what retention has deleted. `kind` is "graph", "plan", "training" or
  // "version".
  void CountDeleted(const std::string& kind, int64_t count);

  std::shared_ptr<prometheus::Registry> registry() const { return registry_; }

 private:
  std::shared_ptr<prometheus::Registry> registry_;
  CallMetrics calls_;
  LearningMetrics learning_;
  prometheus::Family<prometheus::Counter>& plans_;
  prometheus::Family<prometheus::Histogram>& planning_durations_;
  prometheus::Family<prometheus::Histogram>& bound_ratios_;
  prometheus::Family<prometheus::Counter>& steps_;
  prometheus::Family<prometheus::Counter>& step_seconds_;
  prometheus::Histogram& prediction_ratios_;
  prometheus::Counter& stall_seconds_;
  prometheus::Family<prometheus::Counter>& moved_bytes_;
  prometheus::Counter& fallbacks_;
  prometheus::Family<prometheus::Counter>& skipped_plans_;
  prometheus::Counter& dropped_steps_;
  prometheus::Counter& repeated_steps_;
  prometheus::Family<prometheus::Counter>& adaptive_answers_;
  prometheus::Family<prometheus::Counter>& hints_;
  prometheus::Family<prometheus::Counter>& deleted_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_METRICS_SERVER_METRICS_H_
