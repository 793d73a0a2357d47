// Finds what the lower bound knows of a tensor: the kernels that need it, and
// what each of them loses when it is not in the fast tier.
//
//   std::vector<TensorLife> lives =
//       FindTensorLives(graph, system, room);
//
// Pure functions.
#ifndef STOWAGE_POLICIES_BOUND_TENSOR_LIFE_H_
#define STOWAGE_POLICIES_BOUND_TENSOR_LIFE_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/planning/kernel_room.h"

namespace stowage::policies {

// Describes a kernel at which the tensor is born or used.
struct LifeStop {
  // The kernel, unrolled: kernel k of the next step is K + 1 + k.
  KernelIndex kernel = 0;
  // The kernel runs at least this much longer when the tensor is slow; infinite
  // if the tensor has to be fast.
  double slow_ns = 0;
  // The kernel runs at most this much longer.
  double most_slow_ns = 0;
  // Whether no copy can be under way: the tensor is born or written here, or a
  // step ends.
  bool still = true;
  // Whether the tensor fits into what the kernel leaves of the fast tier.
  bool can_be_fast = true;
  // The first kernel behind this stop at which the tensor does not fit, and the
  // last one before the next stop; a kernel that is out of reach if there is
  // none.
  KernelIndex leave_by = std::numeric_limits<KernelIndex>::max();
  KernelIndex fetch_after = -1;
};

struct TensorLife {
  double bytes = 0;  // room that no other tensor shares
  bool movable = true;
  // Whether the tensor is persistent: the first stop is the end of the step
  // before, at kernel -1, the last one is the end of this step, in the same
  // state.
  bool cyclic = false;
  // The kernels at which it is alive, unrolled.
  KernelIndex begin = 0;
  KernelIndex end = 0;
  std::vector<LifeStop> stops;  // ascending
  std::vector<double> out_ns;   // by slower tier, from tier 1
  std::vector<double> in_ns;
};

std::vector<TensorLife> FindTensorLives(const Graph& graph,
                                        const MemorySystem& system,
                                        const KernelRoom& room);

// Returns from below what each kernel and the host's time before it take when
// all operands are fast.
std::vector<double> LeastKernelNs(const Graph& graph,
                                  const MemorySystem& system);

// Returns the same from above; infinite for a kernel with a choice of
// implementations.
std::vector<double> MostFastKernelNs(const Graph& graph,
                                     const MemorySystem& system);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_TENSOR_LIFE_H_
