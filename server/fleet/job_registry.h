// Keeps the training jobs that agents have announced, and what telemetry says
// of them.
//
//   JobRegistry jobs(&nodes);
//   absl::Status started = jobs.Start(job, absl::Now());
//   jobs.RecordStep("host-1", step, absl::Now());
//   absl::StatusOr<v1::Job> now = jobs.Get(job.job_id(), absl::Now());
//
// The registry is kept in memory only: a job that the service does not know (it
// restarted) comes back with its next step. Callers pass the clock. Their
// values are within the bounds of their proto: a job takes 3 KiB at most,
// kMaxJobs of them 30 MiB.
#ifndef STOWAGE_SERVER_FLEET_JOB_REGISTRY_H_
#define STOWAGE_SERVER_FLEET_JOB_REGISTRY_H_

#include <cstdint>
#include <map>
#include <optional>
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
#include "stowage/v1/job.pb.h"
#include "stowage/v1/node.pb.h"

namespace stowage {

// Grows with every job that starts; a larger number is a newer job.
using JobNumber = int64_t;

struct NumberedJob {
  JobNumber number = 0;
  v1::Job job;

  size_t ByteSizeLong() const { return job.ByteSizeLong(); }
};

// Says what became of a step.
enum class StepOutcome {
  kTaken,
  // The step's index does not exceed the job's last one: it was sent again.
  kRepeated,
};

// Thread-safe; no call blocks on anything but the registries' locks. Does not
// own the nodes, which must outlive it.
//
// A running job is lost when neither its node nor the job itself has been
// heard of for the nodes' lease. Beyond kMaxJobs the oldest job that does not
// run is forgotten, or the oldest of all.
class JobRegistry {
 public:
  static constexpr int kMaxJobs = 10'000;

  explicit JobRegistry(const NodeRegistry* nodes);

  // Adds the job, or updates the fields that are set in `job`; a finished job
  // stays finished. NOT_FOUND: the node is not known. ALREADY_EXISTS: another
  // node has a job of that id.
  absl::Status Start(const v1::Job& job, absl::Time now);

  // NOT_FOUND: no such job. Finishing a finished job changes nothing.
  absl::Status Finish(absl::string_view job_id, absl::Time now);

  // NOT_FOUND: no such job.
  absl::StatusOr<v1::Job> Get(absl::string_view job_id, absl::Time now) const;

  // Returns up to `limit` jobs, newest first, that are older than `before`;
  // those of every node when `node` is empty.
  std::vector<NumberedJob> List(absl::string_view node,
                                std::optional<JobNumber> before, int limit,
                                absl::Time now) const;

  // Returns whether `node` may speak of the job: the job is its own, or not
  // known.
  bool IsJobOf(absl::string_view node, absl::string_view job_id) const;

  // Adds a measured step to its job; a job that is not known is added. Steps of
  // one job ascend by their index, which may leave some out.
  StepOutcome RecordStep(absl::string_view node, const v1::StepTelemetry& step,
                         absl::Time now);

  int64_t CountRunning(absl::Time now) const;

 private:
  struct Entry {
    v1::Job job;  // its state is never LOST: that depends on the time
    absl::Time last_heard;
    int64_t last_step = -1;
  };

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
  JobNumber next_number_ ABSL_GUARDED_BY(mutex_) = 1;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_FLEET_JOB_REGISTRY_H_
