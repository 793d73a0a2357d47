// Holds the Job's mutex; blocks that are freed by the thread that holds it are
// queued and die when it lets go. Internal to the Job.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_JOB_LOCK_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_JOB_LOCK_H_

#include "client_sdk/runtime/job.h"
#include "client_sdk/runtime/process/mutex.h"

namespace stowage::runtime {

class STOWAGE_THREAD_ATTRIBUTE(scoped_lockable) Job::Lock {
 public:
  explicit Lock(Job* job) STOWAGE_ACQUIRE(job->mutex_) : job_(job) {
    job_->mutex_.Lock();
    held_ = true;
  }
  // Unlocks what the constructor locked; the analysis does not know that `job_`
  // is that job.
  ~Lock() STOWAGE_RELEASE() STOWAGE_NO_THREAD_SAFETY_ANALYSIS {
    while (Block* block = job_->blocks_.TakeDeferred()) job_->Die(block);
    held_ = false;
    job_->mutex_.Unlock();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  // Returns whether the calling thread has one.
  static bool Held() { return held_; }

 private:
  inline static thread_local bool held_ = false;
  Job* job_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_JOB_LOCK_H_
