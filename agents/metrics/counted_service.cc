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
    const auto [entry, is_new] = jobs_.try_emplace(job.job_id());
    entry->second.limit_bytes = job.fast_limit_bytes();
    if (is_new) metrics_->CountJobStarted();
    SumUp();
  }
  service_->StartJob(job);
}

void CountedService::FinishJob(const std::string& job_id) {
  {
    absl::MutexLock lock(&mutex_);
    if (jobs_.erase(job_id) > 0) metrics_->CountJobEnded();
    SumUp();
  }
  service_->FinishJob(job_id);
}

void CountedService::ReportSteps(std::vector<v1::StepTelemetry> steps) {
  metrics_->CountSteps(steps);
  {
    absl::MutexLock lock(&mutex_);
    for (const v1::StepTelemetry& step : steps) {
      const auto job = jobs_.find(step.job_id());
      if (job != jobs_.end()) job->second.peak_bytes = step.fast_peak_bytes();
    }
    SumUp();
  }
  service_->ReportSteps(std::move(steps));
}

void CountedService::SumUp() {
  FastUse sum;
  for (const auto& [id, use] : jobs_) {
    sum.limit_bytes += use.limit_bytes;
    sum.peak_bytes += use.peak_bytes;
  }
  metrics_->SetFastUse(sum.limit_bytes, sum.peak_bytes);
}

}  // namespace stowage::agent
