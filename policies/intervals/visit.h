// Finds when the long-lived tensors of a step are used, interval by interval.
//
//   UseTable table = FindVisits(graph, workload, intervals, managed, true);
//   const std::vector<Visit>& visits = table.visits[interval];
//
// A visit is what one interval wants of one tensor: that it is fast for its
// uses there. Pure functions.
#ifndef STOWAGE_POLICIES_INTERVALS_VISIT_H_
#define STOWAGE_POLICIES_INTERVALS_VISIT_H_

#include <cstdint>
#include <vector>

#include "policies/intervals/layers.h"
#include "policies/model/graph.h"
#include "policies/planning/workload.h"

namespace stowage::policies {

// Describes one kernel's use of a tensor.
struct Use {
  KernelIndex kernel = 0;
  bool writes = false;
  // The kernel needs the tensor in a slower tier (Workload::left_slow).
  bool slow = false;
};

struct Visit {
  TensorIndex tensor = 0;
  int32_t interval = 0;
  // Indices into the tensor's uses; none of these uses is slow.
  int32_t first_use = 0;
  int32_t last_use = 0;
  // The tensor is born in the interval, at `birth`, and may be born fast.
  bool born = false;
  // It cannot have stayed since the visit before, because it is used slow in
  // between.
  bool apart = false;
};

struct UseTable {
  std::vector<std::vector<Use>> uses;      // by tensor, by kernel
  std::vector<std::vector<Visit>> visits;  // by interval
  std::vector<int64_t> accesses;           // by tensor, over the step
};

// Returns the uses and visits of the tensors that are `managed` (by tensor).
// With `births`, a birth counts as a use, also where the kernel does not list
// the tensor as an operand.
UseTable FindVisits(const Graph& graph, const Workload& workload,
                    const Intervals& intervals,
                    const std::vector<bool>& managed, bool births);

// Returns how often kernels access each tensor in a step. Sentinel counts main
// memory accesses for it (III-A); here a sweep over the tensor counts once, not
// each page.
std::vector<int64_t> CountAccesses(const Graph& graph);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_INTERVALS_VISIT_H_
