#include "server/training/training_job.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace stowage {

policies::DqnSettings SettingsOf(const v1::TrainingOptions& options,
                                 const policies::DqnPolicy* start) {
  policies::DqnSettings settings =
      start == nullptr ? policies::DqnSettings() : start->settings;
  if (options.has_cost_priority()) {
    settings.cost_priority = options.cost_priority();
  }
  if (options.has_episodes()) settings.episodes = options.episodes();
  if (options.has_fast_price_usd_per_gb()) {
    settings.fast_price_usd_per_gb = options.fast_price_usd_per_gb();
  }
  if (options.has_slow_price_usd_per_gb()) {
    settings.slow_price_usd_per_gb = options.slow_price_usd_per_gb();
  }
  if (options.has_synchronous()) {
    settings.migration = options.synchronous()
                             ? policies::MigrationMode::kSynchronous
                             : policies::MigrationMode::kAsynchronous;
  }
  return settings;
}

absl::Status CheckTrainingJob(const TrainingJob& job) {
  if (job.fast_limit_bytes < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("fast_limit_bytes is ", job.fast_limit_bytes,
                     "; name the bytes of fast memory the job may use"));
  }
  const policies::DqnPolicy* start =
      job.start.has_value() ? &*job.start : nullptr;
  absl::Status status =
      policies::CheckDqnSettings(SettingsOf(job.options, start));
  if (status.ok() && start != nullptr) {
    status = policies::CheckTrainedFor(*start, job.graph, job.system);
  }
  return status;
}

}  // namespace stowage
