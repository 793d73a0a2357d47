// Counts what the agent and its jobs do, for Prometheus. docs/reference-agent.md
// lists the metrics.
//
//   AgentMetrics metrics("0.1.0", {.tier = "file", .medium = "device 254:0"});
//   metrics.CountStep(step, {.tier = "file", .medium = "device 254:0"});
//   HttpPage page = MetricsPage({metrics.registry()});
#ifndef STOWAGE_AGENTS_METRICS_AGENT_METRICS_H_
#define STOWAGE_AGENTS_METRICS_AGENT_METRICS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "agents/engine/tier_use.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"
#include "stowage/v1/node.pb.h"

namespace stowage::agent {

// Thread-safe. Labels come from fixed sets, so that the number of series is
// bounded. What jobs say of their steps is taken as they say it.
class AgentMetrics {
 public:
  // `version` becomes the label of stowage_agent_build_info. `slow` is the
  // default slow tier, which may be written `endurance_bytes` in its life; 0:
  // not stated.
  AgentMetrics(const std::string& version, const TierPlace& slow,
               int64_t endurance_bytes = 0);
  AgentMetrics(const AgentMetrics&) = delete;
  AgentMetrics& operator=(const AgentMetrics&) = delete;

  void CountJobStarted();
  void CountJobEnded();
  // Sets what running jobs may have in fast memory together, and had at most in
  // their last steps.
  void SetFastUse(int64_t limits_bytes, int64_t peaks_bytes);
  // Sets what running jobs have taken of a tier together. `capacity_bytes` is
  // the most that they may take; nullopt: limits of another kind bound that.
  void SetTierUse(const TierPlace& place, int64_t used_bytes,
                  std::optional<int64_t> capacity_bytes);
  // Counts a step of a job with this slow tier.
  void CountStep(const v1::StepTelemetry& step, const TierPlace& slow);
  // Counts a plan that was asked for, and how that ended.
  void CountPlan(const absl::Status& status, absl::Duration time);
  // Counts a copy between tiers that failed. `error` is an errno value.
  void CountFailedMove(int error);
  // Counts a job that was refused.
  void CountRefusedJob(const absl::Status& why);

  std::shared_ptr<prometheus::Registry> registry() const { return registry_; }

 private:
  std::shared_ptr<prometheus::Registry> registry_;
  prometheus::Counter& jobs_;
  prometheus::Gauge& running_jobs_;
  prometheus::Gauge& fast_limits_bytes_;
  prometheus::Gauge& fast_peaks_bytes_;
  prometheus::Family<prometheus::Counter>& steps_;
  prometheus::Family<prometheus::Histogram>& step_durations_;
  prometheus::Counter& stalls_;
  prometheus::Histogram& prediction_ratios_;
  prometheus::Family<prometheus::Gauge>& used_bytes_;
  prometheus::Family<prometheus::Gauge>& capacity_bytes_;
  prometheus::Family<prometheus::Counter>& moved_in_bytes_;
  prometheus::Family<prometheus::Counter>& moved_out_bytes_;
  prometheus::Family<prometheus::Counter>& failed_moves_;
  prometheus::Family<prometheus::Counter>& refused_jobs_;
  prometheus::Counter& fallbacks_;
  prometheus::Family<prometheus::Counter>& plans_;
  prometheus::Histogram& plan_durations_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_METRICS_AGENT_METRICS_H_
