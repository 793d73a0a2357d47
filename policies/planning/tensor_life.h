// What the lower bound knows of a tensor: the kernels that need it, and what
// each of them loses when it is not in the fast tier.
//
//   std::vector<TensorLife> lives =
//       FindTensorLives(graph, system, fast_limit_bytes);
//
// Pure functions.
#ifndef STOWAGE_POLICIES_PLANNING_TENSOR_LIFE_H_
#define STOWAGE_POLICIES_PLANNING_TENSOR_LIFE_H_

#include <cstdint>
#include <vector>

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage {

// A kernel at which the tensor is born or used.
struct LifeStop {
  // Unrolled: kernel k of the next step is K + 1 + k.
  KernelIndex kernel = 0;
  // At least so much longer the kernel runs when the tensor is slow; infinite
  // when it has to be fast.
  double slow_ns = 0;
  // Copies that end after this stop may have begun after this kernel, which
  // wrote the tensor last.
  KernelIndex written = 0;
};

struct TensorLife {
  double bytes = 0;  // room that it shares with no other tensor
  bool movable = true;
  bool cyclic = false;  // persistent: after the last stop comes the first
  // The kernels at which it is alive, unrolled.
  KernelIndex begin = 0;
  KernelIndex end = 0;
  std::vector<LifeStop> stops;  // ascending
  std::vector<double> out_ns;   // by slower tier, from tier 1
  std::vector<double> in_ns;
};

std::vector<TensorLife> FindTensorLives(const Graph& graph,
                                        const MemorySystem& system,
                                        int64_t fast_limit_bytes);

// From below, what each kernel and the host's time before it take when all
// operands are fast.
std::vector<double> LeastKernelNs(const Graph& graph,
                                  const MemorySystem& system);

}  // namespace stowage

#endif  // STOWAGE_POLICIES_PLANNING_TENSOR_LIFE_H_
