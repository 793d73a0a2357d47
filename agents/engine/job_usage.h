// Counts the processor time that the agent spends for each of its jobs.
//
//   const auto agent = std::make_shared<AgentUsage>();  // one for all jobs
//   JobUsage usage(agent, &segment->agent_processor_ns);
//   ThreadUsage thread(&usage);  // on each thread that serves the job
//   thread.Count();              // what this thread has used so far
//   usage.Count();               // all of them, and a share of the rest
//
// The rest is what the process used and none of those threads did: workers of
// io_uring, which Linux counts for the process alone, helpers of a copy, and
// the threads of gRPC. Jobs have parts of it that are in proportion to what
// their own threads used meanwhile.
#ifndef STOWAGE_AGENTS_ENGINE_JOB_USAGE_H_
#define STOWAGE_AGENTS_ENGINE_JOB_USAGE_H_

#include <time.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace stowage::agent {

// What the process has used, and how much of it was counted for jobs.
// Thread-safe.
class AgentUsage {
 public:
  // How long what was read of the process's clock is good for. Reading it takes
  // longer the more threads there are.
  static constexpr int64_t kGoodForNs = 40'000'000;

  // Returns the processor time that no thread of a job has counted, as of at
  // most kGoodForNs before `now_ns`. It never falls: time that is counted late
  // is in it until the rest has grown as much.
  int64_t RestNs(int64_t now_ns);

  // Returns what threads of jobs have counted.
  int64_t counted_ns() const { return counted_ns_; }
  void Count(int64_t ns) { counted_ns_ += ns; }

 private:
  std::atomic<int64_t> counted_ns_{0};
  absl::Mutex mutex_;
  int64_t next_read_ns_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t rest_ns_ ABSL_GUARDED_BY(mutex_) = 0;
};

class ThreadUsage;

// Thread-safe. Must outlive the ThreadUsages that are made for it.
class JobUsage {
 public:
  // Adds all that it counts to `total_ns`, which others may read and, in a
  // segment, write: it is not read here.
  JobUsage(std::shared_ptr<AgentUsage> agent, std::atomic<int64_t>* total_ns);

  // Counts what the job's threads have used until now, and the job's share of
  // the rest. Call it every 50 ms or so.
  void Count();

 private:
  friend class ThreadUsage;

  void Begin(ThreadUsage* thread);
  void Count(ThreadUsage* thread);
  void End(ThreadUsage* thread);
  void CountThread(ThreadUsage* thread) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CountShare() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<AgentUsage> agent_;
  std::atomic<int64_t>* const total_ns_;
  absl::Mutex mutex_;
  std::vector<ThreadUsage*> threads_ ABSL_GUARDED_BY(mutex_);
  int64_t own_ns_ ABSL_GUARDED_BY(mutex_) = 0;  // of the job's threads
  // All three as they were when the last share was counted.
  int64_t seen_own_ns_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t seen_counted_ns_ ABSL_GUARDED_BY(mutex_);
  int64_t seen_rest_ns_ ABSL_GUARDED_BY(mutex_);
};

// Has what the calling thread uses counted for a job, from its construction to
// its destruction, which are that thread's. `job` may be null: then nothing is.
class ThreadUsage {
 public:
  explicit ThreadUsage(JobUsage* job);
  ~ThreadUsage();
  ThreadUsage(const ThreadUsage&) = delete;
  ThreadUsage& operator=(const ThreadUsage&) = delete;

  // Counts what the thread has used until now. Takes about a microsecond.
  void Count();

 private:
  friend class JobUsage;

  JobUsage* const job_;
  clockid_t clock_ = CLOCK_THREAD_CPUTIME_ID;
  int64_t counted_ns_ = 0;  // of that clock; the job's mutex guards it
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_JOB_USAGE_H_
