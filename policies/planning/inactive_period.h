// Finds the times in which a tensor may be out of the fast tier: between two
// uses that need it there, before the first or after the last.
//
//   std::vector<InactivePeriod> periods = FindInactivePeriods(graph, workload);
//
// Kernels and boundaries of a period are unrolled over two steps: with K
// kernels, boundary b of the next step is K + 1 + b. A period of a persistent
// or wrapping tensor can so reach across the end of the step.
#ifndef STOWAGE_POLICIES_PLANNING_INACTIVE_PERIOD_H_
#define STOWAGE_POLICIES_PLANNING_INACTIVE_PERIOD_H_

#include <vector>

#include "policies/model/graph.h"
#include "policies/planning/plan_builder.h"
#include "policies/planning/workload.h"

namespace stowage::policies {

struct InactivePeriod {
  TensorIndex tensor = 0;
  // The first boundary at which it may leave. Without a move out, it begins its
  // life in a slower tier.
  KernelIndex from = 0;
  bool moves_out = true;
  // The boundary of the use that needs it back, or the end of its life if it
  // does not come back.
  KernelIndex to = 0;
  bool moves_in = true;
  // The kernels at which it has to be in a slower tier; none if first > last.
  KernelIndex slow_first = 0;
  KernelIndex slow_last = -1;

  bool mandatory() const { return slow_first <= slow_last; }
};

// Says when a taken period's tensor leaves, from `leave` to `left`, and comes
// back, from `fetch` to `back`, unrolled. It is slow, and holds no room, from
// `left` to `fetch` - 1.
struct TakenPeriod {
  InactivePeriod period;
  KernelIndex leave = 0;
  KernelIndex left = 0;
  KernelIndex fetch = 0;
  KernelIndex back = 0;
};

// Says whether kernels must find in a slower tier what the workload leaves
// slow, or may use it in the fast tier like what it stages.
enum class SlowUses { kAsInWorkload, kAsFast };

// Returns all periods of movable tensors, by tensor, ascending. A persistent
// tensor that no kernel needs fast has one period without moves.
std::vector<InactivePeriod> FindInactivePeriods(
    const Graph& graph, const Workload& workload,
    SlowUses slow = SlowUses::kAsInWorkload);

// Returns the residencies in the fast tier that remain when the `taken` periods
// are cut out.
std::vector<Residency> ResidenciesWithout(const Graph& graph,
                                          std::vector<TakenPeriod> taken);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLANNING_INACTIVE_PERIOD_H_
