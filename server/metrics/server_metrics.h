// Counts what stowaged does, for Prometheus. docs/reference-stowaged.md lists
// the metrics.
//
//   ServerMetrics metrics("0.1.0");
//   metrics.CountPlan("belady", absl::Milliseconds(12));
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
#include "stowage/v1/placement.pb.h"
#include "stowage/v1/training.pb.h"

namespace stowage {

// Thread-safe. Labels come from fixed sets (methods, codes, policies, modes,
// directions, sources, outcomes, states), so that the number of series is
// bounded.
class ServerMetrics {
 public:
  // `version` becomes the label of stowaged_build_info.
  explicit ServerMetrics(const std::string& version);

  // Counts an RPC. `method` is the full name of one of our own methods, and
  // `code` is spelt as gRPC does: "OK".
  void CountRpc(const std::string& method, const std::string& code,
                absl::Duration duration);

  // Counts a gRPC connection that was closed because no descriptor was left.
  void CountRefusedConnection();
  // Counts a call that the role of its caller may not make.
  void CountRefusedCall();

  // Counts a plan that was made, and not one that was found in the store.
  // `policy` is a name of the registry.
  void CountPlan(const std::string& policy, absl::Duration planning_time);

  void CountTelemetry(const TelemetryTotals& totals);

  // Counts an answer to a job that asked, on a Place stream, to adapt.
  void CountAdaptiveAnswer(v1::DecisionSource source);

  // These count an episode of a DQN training, and a training that has ended.
  void CountEpisode(double reward);
  void CountTraining(v1::TrainingState state);

  // Counts what retention has deleted. `kind` is "graph", "plan", "training" or
  // "version".
  void CountDeleted(const std::string& kind, int64_t count);

  std::shared_ptr<prometheus::Registry> registry() const { return registry_; }

 private:
  std::shared_ptr<prometheus::Registry> registry_;
  prometheus::Family<prometheus::Counter>& rpcs_;
  prometheus::Family<prometheus::Histogram>& rpc_durations_;
  prometheus::Counter& refused_connections_;
  prometheus::Counter& refused_calls_;
  prometheus::Family<prometheus::Counter>& plans_;
  prometheus::Family<prometheus::Histogram>& planning_durations_;
  prometheus::Family<prometheus::Counter>& steps_;
  prometheus::Family<prometheus::Counter>& moved_bytes_;
  prometheus::Counter& fallbacks_;
  prometheus::Family<prometheus::Counter>& skipped_plans_;
  prometheus::Counter& dropped_steps_;
  prometheus::Counter& repeated_steps_;
  prometheus::Family<prometheus::Counter>& adaptive_answers_;
  prometheus::Family<prometheus::Counter>& hints_;
  prometheus::Family<prometheus::Counter>& trainings_;
  prometheus::Counter& episodes_;
  prometheus::Gauge& last_reward_;
  prometheus::Family<prometheus::Counter>& deleted_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_METRICS_SERVER_METRICS_H_
