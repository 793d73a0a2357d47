#include "agents/metrics/counted_service.h"

#include <utility>

#include "absl/time/time.h"
#include "timing/steady_now.h"

namespace stowage::agent {

absl::StatusOr<v1::MakePlanResponse> CountedService::MakePlan(
    const PlanQuery& query) {
  const absl::Time begin = SteadyNow();
  absl::StatusOr<v1::MakePlanResponse> made = service_->MakePlan(query);
  metrics_->CountPlan(made.status(), SteadyNow() - begin);
  return made;
}

void CountedService::StartJob(const v1::Job& job) {
  {
    absl::MutexLock lock(&mutex_);
    if (jobs_.insert(job.job_id()).second) metrics_->CountJobStarted();
  }
  service_->StartJob(job);
}

void CountedService::FinishJob(const std::string& job_id) {
  {
    absl::MutexLock lock(&mutex_);
    if (jobs_.erase(job_id) > 0) metrics_->CountJobEnded();
  }
  service_->FinishJob(job_id);
}

void CountedService::ReportSteps(std::vector<v1::StepTelemetry> steps) {
  metrics_->CountSteps(steps);
  service_->ReportSteps(std::move(steps));
}

}  // namespace stowage::agent
