// A mutex that the compiler knows of, and the attributes that say what it
// guards.
//
//   class Counter {
//    public:
//     void Add() { MutexLock lock(&mutex_); ++count_; }
//    private:
//     void Reset() STOWAGE_REQUIRES(mutex_) { count_ = 0; }
//     Mutex mutex_;
//     int count_ STOWAGE_GUARDED_BY(mutex_) = 0;
//   };
//
// Clang checks them with -Wthread-safety and refuses code that reaches what is
// guarded without the mutex; other compilers see nothing. The attributes are
// those of https://clang.llvm.org/docs/ThreadSafetyAnalysis.html.
//
// What a collaborator points to is out of the analysis's sight. So the Job's
// collaborators, which have no mutex of their own, are guarded as its members,
// and nobody else calls them.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_MUTEX_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_MUTEX_H_

#include <mutex>

#if defined(__clang__)
#define STOWAGE_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define STOWAGE_THREAD_ATTRIBUTE(x)
#endif

// The member is read and written with the mutex held.
#define STOWAGE_GUARDED_BY(mutex) STOWAGE_THREAD_ATTRIBUTE(guarded_by(mutex))
// The caller holds the mutex.
#define STOWAGE_REQUIRES(mutex) \
  STOWAGE_THREAD_ATTRIBUTE(requires_capability(mutex))
// The function returns with the mutex held, or without.
#define STOWAGE_ACQUIRE(...) \
  STOWAGE_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define STOWAGE_RELEASE(...) \
  STOWAGE_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
// The function is right for a reason that the analysis cannot see; a comment
// says which.
#define STOWAGE_NO_THREAD_SAFETY_ANALYSIS \
  STOWAGE_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace stowage::runtime {

class STOWAGE_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // Blocks until the calling thread, which must not hold it, does.
  void Lock() STOWAGE_ACQUIRE() { mutex_.lock(); }
  void Unlock() STOWAGE_RELEASE() { mutex_.unlock(); }
  // Tells the analysis that the calling thread holds it; does nothing.
  void AssertHeld() const STOWAGE_THREAD_ATTRIBUTE(assert_capability(this)) {}

 private:
  std::mutex mutex_;
};

// Holds a mutex, which outlives it.
class STOWAGE_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex* mutex) STOWAGE_ACQUIRE(mutex) : mutex_(mutex) {
    mutex_->Lock();
  }
  ~MutexLock() STOWAGE_RELEASE() { mutex_->Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex* mutex_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_MUTEX_H_
