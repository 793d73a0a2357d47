// Compares what a job's copies take with what its memory system says of them,
// and corrects the memory system by it. Trial copies are made while the medium
// is idle, or busy with something else; a job's own copies run beside its
// kernels.
//
//   CopyTimes times(system);
//   times.Note(order, duration_ns, beside_ns);      // after each copy
//   const CopyFactors factors = times.TakeFactors();
//   v1::MemorySystem corrected = ScaleCopies(system, factors);
#ifndef STOWAGE_AGENTS_ENGINE_COPY_TIMES_H_
#define STOWAGE_AGENTS_ENGINE_COPY_TIMES_H_

#include <cstdint>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "agents/engine/move_order.h"
#include "stowage/v1/memory_system.pb.h"

namespace stowage::agent {

// How many times as long copies take as the memory system says, out of the fast
// tier and into it, apart from what copies in both directions do to each other.
struct CopyFactors {
  double out = 1;
  double in = 1;
};

// Returns whether one of the factors is larger or smaller than the other's by
// more than a tenth.
bool HaveDrifted(const CopyFactors& planned, const CopyFactors& measured);

// Returns what the memory system says of a copy between two tiers, in ns; 0 if
// it says nothing.
int64_t ExpectedCopyNs(const v1::MemorySystem& system, int32_t from_tier,
                       int32_t to_tier, int64_t size_bytes);

// Returns the memory system with copies out of tier 0 and into it that take so
// many times as long.
v1::MemorySystem ScaleCopies(v1::MemorySystem system,
                             const CopyFactors& factors);

// Thread-safe.
class CopyTimes {
 public:
  // So many processes copy the same at the same time, each in its turn.
  explicit CopyTimes(v1::MemorySystem system, int processes = 1)
      : system_(std::move(system)),
        factors_{static_cast<double>(processes),
                 static_cast<double>(processes)} {}
  CopyTimes(const CopyTimes&) = delete;
  CopyTimes& operator=(const CopyTimes&) = delete;

  const v1::MemorySystem& system() const { return system_; }

  // Counts a copy. For `beside_ns` of its duration there were copies in the
  // other direction, which slowed it as its both_ways_share says.
  void Note(const MoveOrder& order, int64_t duration_ns, int64_t beside_ns);

  // Returns the factors of the copies since the last call. A direction in which
  // too few were made to tell keeps the factor that it had; at first, the number
  // of processes.
  CopyFactors TakeFactors();

 private:
  struct Sums {
    int64_t copies = 0;
    double measured_ns = 0;
    double expected_ns = 0;
  };

  static void Take(Sums* sums, double* factor);

  const v1::MemorySystem system_;
  absl::Mutex mutex_;
  Sums out_ ABSL_GUARDED_BY(mutex_), in_ ABSL_GUARDED_BY(mutex_);
  CopyFactors factors_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_COPY_TIMES_H_
