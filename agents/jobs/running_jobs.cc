#include "agents/jobs/running_jobs.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace stowage::agent {

void RunningJobs::Add(int64_t number, RunningJob job) {
  absl::MutexLock lock(&mutex_);
  jobs_[number] = std::move(job);
}

void RunningJobs::Remove(int64_t number) {
  absl::MutexLock lock(&mutex_);
  jobs_.erase(number);
}

absl::StatusOr<RunningJob> RunningJobs::Find(absl::string_view name) const {
  absl::MutexLock lock(&mutex_);
  const RunningJob* found = nullptr;
  for (const auto& [number, job] : jobs_) {
    if (job.job_id != name && absl::StrCat(job.pid) != name &&
        (job.run_id.empty() || job.run_id != name)) {
      continue;
    }
    if (found != nullptr) {
      return absl::FailedPreconditionError(
          absl::StrCat("several jobs are called '", name,
                       "'; name one by its id: ", Names()));
    }
    found = &job;
  }
  if (found != nullptr) return *found;
  return absl::NotFoundError(
      absl::StrCat("the agent has no job '", name, "'; it has ", Names()));
}

std::string RunningJobs::Names() const {
  if (jobs_.empty()) return "none";
  return absl::StrJoin(jobs_, ", ", [](std::string* text, const auto& entry) {
    text->append(entry.second.job_id);
  });
}

}  // namespace stowage::agent
