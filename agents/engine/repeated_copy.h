// Repeats a copy on a thread of its own, so that something else can be measured
// beside it.
//
//   RepeatedCopy beside(mover, order);
//   const int64_t duration_ns = Measure();
//   absl::Status status = beside.Stop();
#ifndef STOWAGE_AGENTS_ENGINE_REPEATED_COPY_H_
#define STOWAGE_AGENTS_ENGINE_REPEATED_COPY_H_

#include <atomic>
#include <future>

#include "absl/status/status.h"
#include "agents/engine/move_order.h"
#include "agents/engine/mover.h"

namespace stowage::agent {

// Thread-compatible. `mover` must outlive it.
class RepeatedCopy {
 public:
  // Starts to copy.
  RepeatedCopy(const Mover& mover, const MoveOrder& order)
      : error_(std::async(std::launch::async, [this, &mover, order] {
          int error = 0;
          while (error == 0 && !stop_) error = mover.Move(order);
          return error;
        })) {}
  ~RepeatedCopy() { stop_ = true; }
  RepeatedCopy(const RepeatedCopy&) = delete;
  RepeatedCopy& operator=(const RepeatedCopy&) = delete;

  // Blocks until the copy under way has ended; the error says why one failed.
  // Call it at most once.
  absl::Status Stop() {
    stop_ = true;
    const int error = error_.get();
    if (error == 0) return absl::OkStatus();
    return absl::ErrnoToStatus(error, "a copy beside a measurement failed");
  }

 private:
  std::atomic<bool> stop_ = false;
  std::future<int> error_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_REPEATED_COPY_H_
