// Shares a medium among the jobs of the host: so many threads read and write it
// at a time, and of the copies that wait, those go next that are needed first,
// as far as their jobs have not had more than their share (turn.h). When more
// threads write than a slow medium takes, all of them become slower (DeepTM,
// II-A: 8 threads saturate the writes of Optane).
//
//   CopyGate gate(/*readers=*/16, /*writers=*/8);
//   CopyGate::Pass pass =
//       gate.Enter(CopyGate::kWrite, {.job = job, .bytes = 4096}, 4);
//   Copy(/*threads=*/pass.places());
#ifndef STOWAGE_AGENTS_ARBITRATION_COPY_GATE_H_
#define STOWAGE_AGENTS_ARBITRATION_COPY_GATE_H_

#include <algorithm>
#include <cstddef>
#include <list>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "agents/arbitration/medium_shares.h"
#include "agents/arbitration/turn.h"

namespace stowage::agent {

// Thread-safe. Must outlive its passes.
class CopyGate {
 public:
  enum Direction { kRead = 0, kWrite = 1 };

  // A pass holds its places until it is destroyed.
  class Pass {
   public:
    Pass(CopyGate* gate, Direction direction, JobKey job, int places)
        : gate_(gate), direction_(direction), job_(job), places_(places) {}
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass() { gate_->Leave(*this); }

    // Returns how many threads may copy, at least 1.
    int places() const { return places_; }

   private:
    friend class CopyGate;

    CopyGate* const gate_;
    const Direction direction_;
    const JobKey job_;
    const int places_;
  };

  // Both are at least 1.
  CopyGate(int readers, int writers)
      : free_{std::max(readers, 1), std::max(writers, 1)} {}

  // Blocks until the direction has a free place and it is the copy's turn. Then
  // takes up to `wanted` of its free places, at least 1, and charges the bytes
  // to the job.
  Pass Enter(Direction direction, const Turn& turn, int wanted = 1);

  // Returns how many copies wait.
  size_t WaitingCopies(Direction direction) const {
    absl::MutexLock lock(&mutex_);
    return waiting_[direction].size();
  }

 private:
  struct Entry {
    Turn turn;
    int wanted;
    int places;  // 0: it waits
  };

  void Leave(const Pass& pass);
  void Admit(Direction direction) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  int free_[2] ABSL_GUARDED_BY(mutex_);
  std::list<Entry*> waiting_[2] ABSL_GUARDED_BY(mutex_);
  MediumShares shares_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ARBITRATION_COPY_GATE_H_
