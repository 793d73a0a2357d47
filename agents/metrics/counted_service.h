// Counts what the jobs of an agent tell their placement service and ask of it,
// and passes it on. Counts also what the agent itself is told of them.
//
//   CountedService counted(&service, &metrics, jobs.get(), default_slow);
//   counted.ReportSteps(steps);
//   SessionContext context{.service = &counted, .observer = counted.Observer()};
#ifndef STOWAGE_AGENTS_METRICS_COUNTED_SERVICE_H_
#define STOWAGE_AGENTS_METRICS_COUNTED_SERVICE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "agents/engine/tier_use.h"
#include "agents/jobs/job_observer.h"
#include "agents/jobs/planning/service_link.h"
#include "agents/metrics/agent_metrics.h"
#include "agents/metrics/job_series.h"

namespace stowage::agent {

// Thread-safe. Owns none of its arguments; they must outlive it.
class CountedService : public ServiceLink {
 public:
  // `slow` is the default slow tier.
  CountedService(ServiceLink* service, AgentMetrics* metrics, JobSeries* series,
                 TierPlace slow)
      : service_(service),
        metrics_(metrics),
        series_(series),
        slow_(std::move(slow)) {}

  // Returns what counts for as long as this lives.
  JobObserver Observer();

  absl::StatusOr<v1::MakePlanResponse> MakePlan(
      const PlanQuery& query) override;
  v1::PolicyCapabilities CapabilitiesOf(
      const std::string& policy) const override {
    return service_->CapabilitiesOf(policy);
  }
  absl::StatusOr<std::unique_ptr<PlacementStream>> OpenPlacement() override {
    return service_->OpenPlacement();
  }
  // A job is told of again with each plan and limit, and counts once.
  void StartJob(const v1::Job& job) override;
  void FinishJob(const std::string& job_id) override;
  void ReportSteps(std::vector<v1::StepTelemetry> steps) override;
  std::optional<v1::ResizeOrder> OrderOf(
      const std::string& job_id) const override {
    return service_->OrderOf(job_id);
  }
  void ReportOutcome(const v1::ResizeOutcome& outcome) override {
    service_->ReportOutcome(outcome);
  }
  void Close() override { service_->Close(); }
  bool connected() const override { return service_->connected(); }
  bool registered() const override { return service_->registered(); }

 private:
  // What a job may have in fast memory, and had at most in its last step.
  struct FastUse {
    int64_t limit_bytes = 0;
    int64_t peak_bytes = 0;
  };
  struct JobUse {
    FastUse fast;
    std::vector<TierUse> tiers;  // fast to slow; empty: not told yet
  };

  struct TierSum {
    int64_t used_bytes = 0;
    std::optional<int64_t> capacity_bytes;  // of those to which it is slow
  };

  void NoteUse(const std::string& job_id, const std::vector<TierUse>& tiers);
  void CountStep(const v1::StepTelemetry& step)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SumUpTiers() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SumUp() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  ServiceLink* const service_;
  AgentMetrics* const metrics_;
  JobSeries* const series_;
  const TierPlace slow_;
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, JobUse> jobs_ ABSL_GUARDED_BY(mutex_);
  // Sums over the jobs, of every tier that one has had.
  absl::btree_map<TierPlace, TierSum> tiers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_METRICS_COUNTED_SERVICE_H_
