#include "policies/plan/moves_by_boundary.h"

namespace stowage::policies {

Groups MovesByStart(const Plan& plan, KernelIndex kernels) {
  const int moves = static_cast<int>(plan.moves.size());
  return Groups(kernels + 1, [&](auto add) {
    for (int m = 0; m < moves; ++m) add(plan.moves[m].start_kernel, m);
  });
}

Groups MovesByDeadline(const Plan& plan, KernelIndex kernels) {
  const int moves = static_cast<int>(plan.moves.size());
  return Groups(kernels + 1, [&](auto add) {
    for (int m = 0; m < moves; ++m) {
      const Move& move = plan.moves[m];
      if (!move.synchronous()) add(move.deadline_kernel, m);
    }
  });
}

}  // namespace stowage::policies
