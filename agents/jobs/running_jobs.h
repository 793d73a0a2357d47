// Knows the jobs of an agent by name, for those who change their limits.
//
//   RunningJobs jobs;
//   jobs.Add(number, {.job_id = id, .pid = pid, .uid = uid, .limits = limits});
//   absl::StatusOr<RunningJob> job = jobs.Find("4711");
//   jobs.Remove(number);
#ifndef STOWAGE_AGENTS_JOBS_RUNNING_JOBS_H_
#define STOWAGE_AGENTS_JOBS_RUNNING_JOBS_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "agents/jobs/records/limit_orders.h"

namespace stowage::agent {

struct RunningJob {
  std::string job_id;
  std::string run_id;  // may be empty
  pid_t pid = 0;
  uid_t uid = 0;
  std::shared_ptr<LimitOrders> limits;
};

// Thread-safe.
class RunningJobs {
 public:
  void Add(int64_t number, RunningJob job);
  void Remove(int64_t number);

  // Returns the job whose id, process id or run id is `name`. NOT_FOUND: there
  // is none. FAILED_PRECONDITION: several have that run id. Both say which jobs
  // there are.
  absl::StatusOr<RunningJob> Find(absl::string_view name) const;

 private:
  std::string Names() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  std::map<int64_t, RunningJob> jobs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_RUNNING_JOBS_H_
