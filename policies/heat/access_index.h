// When tensors are accessed: DeepTM's future access count f and distance r, and
// the lifetime l (III-B), at any kernel.
//
//   AccessIndex accesses(graph);
//   int64_t f = accesses.FutureAccesses(tensor, kernel);
//
// An operand that a kernel reads several times counts several times. Tensors
// that live on from step to step are looked at one step ahead.
#ifndef STOWAGE_POLICIES_HEAT_ACCESS_INDEX_H_
#define STOWAGE_POLICIES_HEAT_ACCESS_INDEX_H_

#include <cstdint>
#include <vector>

#include "policies/model/graph.h"

namespace stowage::policies {

// Immutable; safe to read from several threads.
class AccessIndex {
 public:
  explicit AccessIndex(const Graph& graph);

  // f: accesses by `kernel` and those after it, for a tensor that is alive
  // there.
  int64_t FutureAccesses(TensorIndex tensor, KernelIndex kernel) const;

  // r: kernels until the next access, 0 when `kernel` accesses it; as many as
  // the step has when there is none.
  KernelIndex FutureDistance(TensorIndex tensor, KernelIndex kernel) const;

  // l: kernels from allocation to deallocation; all of the step for persistent
  // tensors.
  KernelIndex Lifetime(TensorIndex tensor) const;

 private:
  struct Access {
    KernelIndex kernel = 0;
    int64_t accesses_before = 0;  // of the tensor, in the step
  };
  struct Life {
    int64_t first = 0;  // of its accesses in accesses_
    int64_t last = 0;   // behind them
    int64_t count = 0;
    KernelIndex lifetime = 0;
    KernelIndex death = 0;
    bool repeats = false;  // its accesses after the end of the step count
  };

  int64_t FirstFrom(const Life& life, KernelIndex kernel) const;
  // Whether accesses before `kernel` come again before the tensor is freed.
  static bool ComesAgain(const Life& life, KernelIndex kernel) {
    return life.repeats && kernel > life.death;
  }

  KernelIndex kernel_count_ = 0;
  std::vector<Access> accesses_;  // by tensor, then kernel
  std::vector<Life> lives_;       // by tensor
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_HEAT_ACCESS_INDEX_H_
