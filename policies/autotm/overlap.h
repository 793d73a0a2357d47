// Finds the kernels beside which a tensor may be copied (AutoTM, section
// 7.1.2), and makes a quick choice among them.
//
//   OverlapKernels kernels = FindOverlapKernels(problem, flow, rest);
//   Paths faster = MoveBesideKernels(problem, paths);
#ifndef STOWAGE_POLICIES_AUTOTM_OVERLAP_H_
#define STOWAGE_POLICIES_AUTOTM_OVERLAP_H_

#include <vector>

#include "policies/autotm/flow_problem.h"

namespace stowage::policies {

// The most kernels beside which a tensor may be copied, on each side of a rest.
inline constexpr int kMaxOverlapKernels = 4;

// Lists unrolled kernels, the nearest to the use first.
struct OverlapKernels {
  std::vector<KernelIndex> out, in;
};

// Returns the kernels for the rest after use `i`. Copies out run beside kernels
// of the first half of the rest, copies in beside kernels of the second: the
// two nearest ones, then those that are longer than all nearer ones.
OverlapKernels FindOverlapKernels(const FlowProblem& problem,
                                  const TensorFlow& flow, int i);

// Returns `paths`, whose moves are synchronous, with every move beside the
// kernel that hides most of it, largest tensors first, where there is room.
Paths MoveBesideKernels(const FlowProblem& problem, Paths paths);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AUTOTM_OVERLAP_H_
