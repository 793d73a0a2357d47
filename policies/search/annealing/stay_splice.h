// Puts stays of a tensor together from two lists of them.
//
//   std::vector<FastSegment> stays = SpliceStays(uses, before, after, boundary);
#ifndef STOWAGE_POLICIES_SEARCH_ANNEALING_STAY_SPLICE_H_
#define STOWAGE_POLICIES_SEARCH_ANNEALING_STAY_SPLICE_H_

#include <vector>

#include "policies/model/graph.h"
#include "policies/planning/plan_builder.h"

namespace stowage {

// As in `before` up to `boundary`, as in `after` from there on. Where only one
// of them has the tensor in the fast tier at the boundary, it arrives or leaves
// there; a stay without one of `uses`, ascending, that remains is left out. All
// are stays of one tensor, by begin; whether the result can be built is for the
// caller to find out.
std::vector<FastSegment> SpliceStays(const std::vector<KernelIndex>& uses,
                                     const std::vector<FastSegment>& before,
                                     const std::vector<FastSegment>& after,
                                     KernelIndex boundary);

}  // namespace stowage

#endif  // STOWAGE_POLICIES_SEARCH_ANNEALING_STAY_SPLICE_H_
