// How the lower bound cuts a step's time (docs/lower-bound.md).
//
//   BoundTimeline timeline = MakeBoundTimeline(graph, least_ns, 80, 16);
#ifndef STOWAGE_POLICIES_BOUND_BOUND_TIMELINE_H_
#define STOWAGE_POLICIES_BOUND_BOUND_TIMELINE_H_

#include <vector>

#include "policies/model/graph.h"

namespace stowage::policies {

// The step cut into slices: a kernel whose room has a price is one of its
// own; the lanes' prices are constant in each.
struct BoundTimeline {
  std::vector<int> slice;       // by kernel, K + 1 entries
  std::vector<int> block;       // by slice, of its kernels
  std::vector<int> wait_block;  // by slice, of the waiting before them
  std::vector<int> priced;      // by slice: index of its room's price, or -1
  std::vector<double> busy_ns;  // by block: what kernels take at least
  int priced_count = 0;
};

// `least_ns`: what each kernel takes at least. Kernels where most bytes are
// alive get a price for their room, at most `priced` of them; lanes get prices
// in `blocks` of about equal time, or, where that is more than the kernels, for
// each kernel and for the waiting before it.
BoundTimeline MakeBoundTimeline(const Graph& graph,
                                const std::vector<double>& least_ns, int priced,
                                int blocks);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_BOUND_TIMELINE_H_
