// Says when tensors are accessed: DeepTM's future access count f, future
// distance r and lifetime l (III-B), at any kernel.
//
//   AccessIndex accesses(graph);
//   int64_t f = accesses.FutureAccesses(tensor, kernel);
//
// An operand that a kernel reads several times counts several times. For
// tensors that live on from step to step, the index looks one step ahead.
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

  // Returns f: how often `kernel` and the kernels after it access a tensor that
  // is alive there.
  int64_t FutureAccesses(TensorIndex tensor, KernelIndex kernel) const;

  // Returns r: the number of kernels until the next access, 0 if `kernel`
  // accesses the tensor. Without a next access it is the number of the step's
  // kernels.
  KernelIndex FutureDistance(TensorIndex tensor, KernelIndex kernel) const;

  // Returns l: the number of kernels from allocation to deallocation; for
  // persistent tensors all kernels of the step.
  KernelIndex Lifetime(TensorIndex tensor) const;

 private:
  struct Access {
    KernelIndex kernel = 0;
    int64_t accesses_before = 0;  // of the tensor, in the step
  };
  struct Life {
    int64_t first = 0;  // the index of its first access in accesses_
    int64_t last = 0;   // behind its last one
    int64_t count = 0;
    KernelIndex lifetime = 0;
    KernelIndex death = 0;
    bool repeats = false;  // accesses after the end of the step count
  };

  int64_t FirstFrom(const Life& life, KernelIndex kernel) const;
  // Returns whether accesses before `kernel` come again before the tensor is
  // freed.
  static bool ComesAgain(const Life& life, KernelIndex kernel) {
    return life.repeats && kernel > life.death;
  }

  KernelIndex kernel_count_ = 0;
  std::vector<Access> accesses_;  // by tensor, then kernel
  std::vector<Life> lives_;       // by tensor
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_HEAT_ACCESS_INDEX_H_
