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
    entry->second.fast.limit_bytes = job.fast_limit_bytes();
    if (is_new) metrics_->CountJobStarted();
    series_->SetLimit(job.job_id(), job.fast_limit_bytes());
    SumUp();
  }
  service_->StartJob(job);
}

void CountedService::FinishJob(const std::string& job_id) {
  {
    absl::MutexLock lock(&mutex_);
    if (jobs_.erase(job_id) > 0) metrics_->CountJobEnded();
    series_->End(job_id);
    SumUp();
    SumUpTiers();
  }
  service_->FinishJob(job_id);
}

void CountedService::ReportSteps(std::vector<v1::StepTelemetry> steps) {
  {
    absl::MutexLock lock(&mutex_);
    for (const v1::StepTelemetry& step : steps) CountStep(step);
    SumUp();
  }
  service_->ReportSteps(std::move(steps));
}

JobObserver CountedService::Observer() {
  return {
      .on_use =
          [this](const std::string& job_id, const std::vector<TierUse>& tiers) {
            NoteUse(job_id, tiers);
          },
      .on_failed_move = [this](int error) { metrics_->CountFailedMove(error); },
      .on_refused =
          [this](const absl::Status& why) { metrics_->CountRefusedJob(why); }};
}

void CountedService::NoteUse(const std::string& job_id,
                             const std::vector<TierUse>& tiers) {
  absl::MutexLock lock(&mutex_);
  const auto job = jobs_.find(job_id);
  if (job == jobs_.end()) return;
  job->second.tiers = tiers;
  SumUpTiers();
}

void CountedService::CountStep(const v1::StepTelemetry& step) {
  const auto job = jobs_.find(step.job_id());
  const bool known = job != jobs_.end();
  if (known) job->second.fast.peak_bytes = step.fast_peak_bytes();
  series_->CountStep(step);
  metrics_->CountStep(step, known && !job->second.tiers.empty()
                                ? job->second.tiers.back().place
                                : slow_);
}

void CountedService::SumUp() {
  FastUse sum;
  for (const auto& [id, use] : jobs_) {
    sum.limit_bytes += use.fast.limit_bytes;
    sum.peak_bytes += use.fast.peak_bytes;
  }
  metrics_->SetFastUse(sum.limit_bytes, sum.peak_bytes);
}

// A tier that no job has any more stays, with 0 bytes.
void CountedService::SumUpTiers() {
  for (auto& [place, sum] : tiers_) {
    sum.used_bytes = 0;
    if (sum.capacity_bytes.has_value()) sum.capacity_bytes = 0;
  }
  for (const auto& [id, job] : jobs_) {
    for (const TierUse& use : job.tiers) {
      TierSum& sum = tiers_[use.place];
      sum.used_bytes += use.used_bytes;
      if (&use != &job.tiers.back()) continue;
      sum.capacity_bytes = sum.capacity_bytes.value_or(0) + use.capacity_bytes;
    }
  }
  for (const auto& [place, sum] : tiers_) {
    metrics_->SetTierUse(place, sum.used_bytes, sum.capacity_bytes);
  }
}

}  // namespace stowage::agent
