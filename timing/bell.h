// Wakes threads that wait for something to happen, for so long at most. The time
// limits of Abseil's Notification, Mutex and CondVar follow the wall clock (in
// the release of Debian 12): a wait of 10 ms would last an hour if the clock was
// set back by one meanwhile. These do not.
//
//   Bell stop;
//   while (!stop.AwaitFor(absl::Seconds(1))) Look();   // until stop.Ring()
//   const uint64_t heard = stop.rings();   // where it rings more than once
//   if (!HasNews()) stop.AwaitFor(timeout, heard);
#ifndef STOWAGE_TIMING_BELL_H_
#define STOWAGE_TIMING_BELL_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "absl/time/time.h"

namespace stowage {

// Thread-safe. What was written before Ring() is seen by those whom it wakes.
class Bell {
 public:
  void Ring();

  // Returns how often it has rung.
  uint64_t rings() const { return rings_.load(std::memory_order_acquire); }
  bool HasRung() const { return rings() > 0; }

  // Blocks until it has rung more often than `heard`, or `timeout` has passed.
  // Returns whether it has.
  bool AwaitFor(absl::Duration timeout, uint64_t heard = 0) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable rung_;
  std::atomic<uint64_t> rings_ = 0;  // grows under the mutex alone
};

}  // namespace stowage

#endif  // STOWAGE_TIMING_BELL_H_
