// Counts what the jobs of an agent tell their placement service and ask of it,
// and passes it on.
//
//   CountedService counted(&service, &metrics);
//   counted.ReportSteps(steps);
#ifndef STOWAGE_AGENTS_METRICS_COUNTED_SERVICE_H_
#define STOWAGE_AGENTS_METRICS_COUNTED_SERVICE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "agents/jobs/service_link.h"
#include "agents/metrics/agent_metrics.h"

namespace stowage::agent {

// Thread-safe. Owns neither argument; both must outlive it.
class CountedService : public ServiceLink {
 public:
  CountedService(ServiceLink* service, AgentMetrics* metrics)
      : service_(service), metrics_(metrics) {}

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

 private:
  // What a job may have in fast memory, and had at most in its last step.
  struct FastUse {
    int64_t limit_bytes = 0;
    int64_t peak_bytes = 0;
  };

  void SumUp() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  ServiceLink* const service_;
  AgentMetrics* const metrics_;
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, FastUse> jobs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_METRICS_COUNTED_SERVICE_H_
