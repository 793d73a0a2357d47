// Tells the thread sanitizer what Abseil's locks order.
//
// Debian's Abseil is not built with the thread sanitizer, which therefore sees
// nothing of absl::Mutex and absl::Notification and calls all that they protect
// a race. The functions here come before those of the library, for its users
// (gRPC among them) as well; each calls the one that it hides and says what is
// ordered by it. Nothing is suppressed: a race that no lock prevents is
// reported as ever.
//
// Linked by the tsan preset alone. The names are those of Debian 12's Abseil.
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>
#include <stdio.h>
#include <stdlib.h>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

// In the run-time library of the sanitizer; no header declares them.
extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
}

namespace {

// The member function that the one in this file hides.
template <typename Function>
Function Hidden(const char* symbol) {
  void* found = dlsym(RTLD_NEXT, symbol);
  if (found != nullptr) return reinterpret_cast<Function>(found);
  fprintf(stderr, "tsan: Abseil has no %s; this file is for another one\n",
          symbol);
  abort();
}

// Who lets a mutex go evaluates the conditions of those who wait for it, after
// what it has ordered by letting go; it only reads there, and holds the mutex.
class ConditionsAreRead {
 public:
  ConditionsAreRead() { AnnotateIgnoreReadsBegin(__FILE__, __LINE__); }
  ~ConditionsAreRead() { AnnotateIgnoreReadsEnd(__FILE__, __LINE__); }
  ConditionsAreRead(const ConditionsAreRead&) = delete;
  ConditionsAreRead& operator=(const ConditionsAreRead&) = delete;
};

// Lets go of the mutex and has it again when it returns.
class Waiting {
 public:
  explicit Waiting(const absl::Mutex* mutex)
      : mutex_(const_cast<absl::Mutex*>(mutex)) {
    __tsan_release(mutex_);
  }
  ~Waiting() { __tsan_acquire(mutex_); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  absl::Mutex* const mutex_;
  const ConditionsAreRead conditions_;
};

// HasBeenNotified, which is inline, reads the flag behind the mutex.
void* FlagOf(const absl::Notification* notification) {
  static_assert(sizeof(absl::Notification) == 2 * sizeof(absl::Mutex));
  return const_cast<char*>(reinterpret_cast<const char*>(notification)) +
         sizeof(absl::Mutex);
}

}  // namespace

namespace absl {
ABSL_NAMESPACE_BEGIN

void Mutex::Lock() {
  static const auto hidden =
      Hidden<void (*)(Mutex*)>("_ZN4absl7debian35Mutex4LockEv");
  hidden(this);
  __tsan_acquire(this);
}

void Mutex::Unlock() {
  static const auto hidden =
      Hidden<void (*)(Mutex*)>("_ZN4absl7debian35Mutex6UnlockEv");
  __tsan_release(this);
  const ConditionsAreRead conditions;
  hidden(this);
}

bool Mutex::TryLock() {
  static const auto hidden =
      Hidden<bool (*)(Mutex*)>("_ZN4absl7debian35Mutex7TryLockEv");
  const bool locked = hidden(this);
  if (locked) __tsan_acquire(this);
  return locked;
}

void Mutex::ReaderLock() {
  static const auto hidden =
      Hidden<void (*)(Mutex*)>("_ZN4absl7debian35Mutex10ReaderLockEv");
  hidden(this);
  __tsan_acquire(this);
}

void Mutex::ReaderUnlock() {
  static const auto hidden =
      Hidden<void (*)(Mutex*)>("_ZN4absl7debian35Mutex12ReaderUnlockEv");
  __tsan_release(this);
  const ConditionsAreRead conditions;
  hidden(this);
}

void Mutex::Await(const Condition& condition) {
  static const auto hidden = Hidden<void (*)(Mutex*, const Condition&)>(
      "_ZN4absl7debian35Mutex5AwaitERKNS0_9ConditionE");
  const Waiting waiting(this);
  hidden(this, condition);
}

bool Mutex::AwaitWithTimeout(const Condition& condition, Duration timeout) {
  static const auto hidden =
      Hidden<bool (*)(Mutex*, const Condition&, Duration)>(
          "_ZN4absl7debian35Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_"
          "8DurationE");
  const Waiting waiting(this);
  return hidden(this, condition, timeout);
}

void CondVar::Wait(Mutex* mutex) {
  static const auto hidden = Hidden<void (*)(CondVar*, Mutex*)>(
      "_ZN4absl7debian37CondVar4WaitEPNS0_5MutexE");
  const Waiting waiting(mutex);
  hidden(this, mutex);
}

bool CondVar::WaitWithDeadline(Mutex* mutex, Time deadline) {
  static const auto hidden = Hidden<bool (*)(CondVar*, Mutex*, Time)>(
      "_ZN4absl7debian37CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE");
  const Waiting waiting(mutex);
  return hidden(this, mutex, deadline);
}

bool CondVar::WaitWithTimeout(Mutex* mutex, Duration timeout) {
  static const auto hidden = Hidden<bool (*)(CondVar*, Mutex*, Duration)>(
      "_ZN4absl7debian37CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE");
  const Waiting waiting(mutex);
  return hidden(this, mutex, timeout);
}

void Notification::Notify() {
  static const auto hidden = Hidden<void (*)(Notification*)>(
      "_ZN4absl7debian312Notification6NotifyEv");
  __tsan_release(FlagOf(this));
  hidden(this);
}

void Notification::WaitForNotification() const {
  static const auto hidden = Hidden<void (*)(const Notification*)>(
      "_ZNK4absl7debian312Notification19WaitForNotificationEv");
  hidden(this);
  __tsan_acquire(FlagOf(this));
}

bool Notification::WaitForNotificationWithTimeout(Duration timeout) const {
  static const auto hidden = Hidden<bool (*)(const Notification*, Duration)>(
      "_ZNK4absl7debian312Notification30WaitForNotificationWithTimeoutENS0_"
      "8DurationE");
  const bool notified = hidden(this, timeout);
  if (notified) __tsan_acquire(FlagOf(this));
  return notified;
}

ABSL_NAMESPACE_END
}  // namespace absl
