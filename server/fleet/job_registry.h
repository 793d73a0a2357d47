// Keeps the training jobs that agents have announced, and what telemetry says
// of them.
//
//   JobRegistry jobs(&nodes);
//   absl::Status started = jobs.Start(job, absl::Now());
//   jobs.RecordStep("host-1", step, absl::Now());
//   absl::StatusOr<v1::Job> now = jobs.Get(job.job_id(), absl::Now());
//
// The registry is in memory; FleetExchange stores it. Callers pass the time.
// Their values are within the bounds of their proto, so a job takes at most
// 4 KiB, and kMaxJobs of them take 40 MiB.
#ifndef STOWAGE_SERVER_FLEET_JOB_REGISTRY_H_
#define STOWAGE_SERVER_FLEET_JOB_REGISTRY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/fleet/node_registry.h"
#include "stowage/v1/fleet_state.pb.h"
#include "stowage/v1/job.pb.h"
#include "stowage/v1/node.pb.h"

namespace stowage {

// The number of a job. Newer jobs have larger ones, on all replicas: a number
// is the time when the job was first heard of, in nanoseconds since 1970, or
// the next one that is free.
using JobNumber = int64_t;

struct NumberedJob {
  JobNumber number = 0;
  v1::Job job;

  size_t ByteSizeLong() const { return job.ByteSizeLong(); }
};

// Fast memory that a job may use.
struct JobRoom {
  std::string job_id;
  std::string node;
  int64_t fast_bytes = 0;
};

// Says what became of a step.
enum class StepOutcome {
  kTaken,
  // The step was sent before: its index does not exceed the job's last one.
  kRepeated,
};

// Thread-safe; calls block on the registries' locks alone. Does not own the
// nodes, which must outlive it.
//
// A running job is lost when the registry has heard neither of its node nor of
// the job for the nodes' lease. Above kMaxJobs the registry forgets the oldest
// job that does not run, or the oldest of all.
class JobRegistry {
 public:
  static constexpr int kMaxJobs = 10'000;

  explicit JobRegistry(const NodeRegistry* nodes);

  // Adds the job, or updates the fields that are set in `job`; a finished job
  // stays finished. NOT_FOUND: the node is not known. ALREADY_EXISTS: another
  // node has a job of that id.
  absl::Status Start(const v1::Job& job, absl::Time now);

  // Notes that the job has finished. Does nothing if it had. NOT_FOUND: no such
  // job.
  absl::Status Finish(absl::string_view job_id, absl::Time now);

  // Returns the job as it is at `now`. NOT_FOUND: no such job.
  absl::StatusOr<v1::Job> Get(absl::string_view job_id, absl::Time now) const;

  // Returns up to `limit` jobs of the node that are older than `before`, newest
  // first; an empty `node` means every node.
  std::vector<NumberedJob> List(absl::string_view node,
                                std::optional<JobNumber> before, int limit,
                                absl::Time now) const;

  // Returns whether `node` may speak of the job, which must be its own or
  // unknown.
  bool IsJobOf(absl::string_view node, absl::string_view job_id) const;

  // Adds a measured step to its job, and the job if it is not known. The
  // indices of a job's steps ascend and may have gaps.
  StepOutcome RecordStep(absl::string_view node, const v1::StepTelemetry& step,
                         absl::Time now);

  // Asks for another limit and returns the job. Changes nothing if the limit is
  // pending, or the last request had the same id and limit. NOT_FOUND: no such
  // job. FAILED_PRECONDITION: it does not run.
  absl::StatusOr<v1::Job> Resize(const v1::ResizeJobRequest& request,
                                 absl::Time now);

  // Notes what came of a resize; ignores outcomes of jobs that are not of
  // `node`, and of resizes that are not pending.
  void TakeOutcome(absl::string_view node, const v1::ResizeOutcome& outcome);

  // Returns the resizes of the node's jobs that are pending.
  std::vector<v1::ResizeOrder> PendingOrders(absl::string_view node) const;

  int64_t CountRunning(absl::Time now) const;

  // Returns the fast memory of each job that runs: its limit, or, where it has
  // none, the most that it has used.
  std::vector<JobRoom> RoomOfRunning(absl::Time now) const;
  // Returns that of the jobs of one node.
  std::vector<JobRoom> RoomOfRunning(absl::string_view node,
                                     absl::Time now) const;

  // Returns the graphs of jobs that run.
  std::vector<std::string> GraphsInUse(absl::Time now) const;

  // Returns the jobs that have changed since the last call; those that have
  // only run steps if `steps`.
  std::vector<v1::StoredJob> TakeChanged(bool steps);
  // Has the jobs returned by TakeChanged() again.
  void PutBackChanged(const std::vector<v1::StoredJob>& jobs);
  // Returns the ids of jobs that were forgotten since the last call.
  std::vector<std::string> TakeForgotten();
  // Returns the job as it is stored; nothing if it is not known.
  std::optional<v1::StoredJob> Stored(absl::string_view job_id) const;
  // Adds what another replica knows of a job, or this one before it restarted.
  void Merge(const v1::StoredJob& theirs, absl::Time now);

 private:
  struct Entry {
    v1::Job job;  // its state is never LOST: that depends on the time
    absl::Time last_heard;
    int64_t last_step = -1;
    std::string resize_request_id;
  };

  static v1::StoredJob ToStored(JobNumber number, const Entry& entry);

  Entry& FindOrAdd(absl::string_view job_id, absl::string_view node,
                   absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  const Entry* Find(absl::string_view job_id) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void MakeRoom(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  v1::JobState StateAt(const Entry& entry, absl::Time now) const;
  v1::Job JobAt(const Entry& entry, absl::Time now) const;

  const NodeRegistry* const nodes_;
  mutable absl::Mutex mutex_;
  std::map<JobNumber, Entry> jobs_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, JobNumber> numbers_ ABSL_GUARDED_BY(mutex_);
  // Jobs whose resize is pending.
  std::set<JobNumber> resized_ ABSL_GUARDED_BY(mutex_);
  std::set<JobNumber> changed_ ABSL_GUARDED_BY(mutex_);
  std::set<JobNumber> stepped_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> forgotten_ ABSL_GUARDED_BY(mutex_);
  JobNumber next_number_ ABSL_GUARDED_BY(mutex_) = 1;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_FLEET_JOB_REGISTRY_H_
