// Limits how many threads may read and write a medium at a time, over all jobs
// of the host. When more threads write than a slow medium takes, all of them
// become slower (DeepTM, II-A: 8 threads saturate the writes of Optane).
//
//   CopyGate gate(/*readers=*/16, /*writers=*/8);
//   CopyGate::Pass pass = gate.Enter(CopyGate::kWrite, 4);   // waits for a turn
//   Copy(/*threads=*/pass.places());
#ifndef STOWAGE_AGENTS_ENGINE_COPY_GATE_H_
#define STOWAGE_AGENTS_ENGINE_COPY_GATE_H_

#include <algorithm>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace stowage::agent {

// Thread-safe. Must outlive its passes.
class CopyGate {
 public:
  enum Direction { kRead = 0, kWrite = 1 };

  // A pass holds its places until it is destroyed.
  class Pass {
   public:
    Pass(CopyGate* gate, Direction direction, int places)
        : gate_(gate), direction_(direction), places_(places) {}
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass() {
      absl::MutexLock lock(&gate_->mutex_);
      gate_->free_[direction_] += places_;
    }

    // Returns how many threads may copy, at least 1.
    int places() const { return places_; }

   private:
    CopyGate* const gate_;
    const Direction direction_;
    const int places_;
  };

  // Both are at least 1.
  CopyGate(int readers, int writers)
      : free_{std::max(readers, 1), std::max(writers, 1)} {}

  // Blocks until the direction has a free place, then takes up to `wanted` of
  // its free places, at least 1.
  Pass Enter(Direction direction, int wanted = 1) {
    absl::MutexLock lock(&mutex_);
    const auto has_room = [this, direction]() {
      mutex_.AssertReaderHeld();
      return free_[direction] > 0;
    };
    mutex_.Await(absl::Condition(&has_room));
    const int places = std::clamp(wanted, 1, free_[direction]);
    free_[direction] -= places;
    return Pass(this, direction, places);
  }

 private:
  absl::Mutex mutex_;
  int free_[2] ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_COPY_GATE_H_
