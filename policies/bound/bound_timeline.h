// Cuts a step's time for the lower bound (docs/lower-bound.md).
//
//   BoundTimeline timeline = MakeBoundTimeline(graph, least_ns, 80, 16);
#ifndef STOWAGE_POLICIES_BOUND_BOUND_TIMELINE_H_
#define STOWAGE_POLICIES_BOUND_BOUND_TIMELINE_H_

#include <vector>

#include "policies/model/graph.h"

namespace stowage::policies {

// Describes a step cut into slices. A kernel whose room has a price is a slice
// of its own, and the lanes' prices are constant in each slice.
struct BoundTimeline {
  std::vector<int> slice;       // by kernel, K + 1 entries
  std::vector<int> block;       // by slice: the block of its kernels
  std::vector<int> wait_block;  // by slice: that of the waiting before
  std::vector<int> priced;      // by slice: index of its room's price, or -1
  std::vector<double> busy_ns;  // by block: least time of its kernels
  int priced_count = 0;
};

// Cuts a step. `least_ns` says what each kernel takes at least. The kernels
// where most bytes are alive get a price for their room, at most `priced` of
// them. Lanes get prices in `blocks` blocks of about equal time; if that is
// more than the kernels, they get prices for each kernel and for the waiting
// before it.
BoundTimeline MakeBoundTimeline(const Graph& graph,
                                const std::vector<double>& least_ns, int priced,
                                int blocks);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_BOUND_TIMELINE_H_
