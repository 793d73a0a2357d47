// Holds the Job's mutex; blocks that are freed by the thread that holds it are
// queued and die when it lets go. Internal to the Job.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_JOB_LOCK_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_JOB_LOCK_H_

#include "client_sdk/runtime/job.h"

namespace stowage::runtime {

class Job::Lock {
 public:
  explicit Lock(Job* job) : job_(job), guard_(job->mutex_) { held_ = true; }
  ~Lock() {
    while (Block* block = job_->blocks_.TakeDeferred()) job_->Die(block);
    held_ = false;
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  // The calling thread holds the mutex.
  static bool Held() { return held_; }

 private:
  inline static thread_local bool held_ = false;
  Job* job_;
  std::lock_guard<std::mutex> guard_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_JOB_LOCK_H_
