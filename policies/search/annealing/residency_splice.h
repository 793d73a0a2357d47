// Puts residencies of a tensor together from two lists of them.
//
//   std::vector<Residency> residencies =
//       SpliceResidencies(uses, before, after, boundary);
#ifndef STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_SPLICE_H_
#define STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_SPLICE_H_

#include <vector>

#include "policies/model/graph.h"
#include "policies/planning/plan_builder.h"

namespace stowage::policies {

// Returns residencies that are as in `before` up to `boundary`, and as in
// `after` from there on. If only one of them has the tensor in the fast tier at
// the boundary, it arrives or leaves there. A residency is left out if none of
// `uses`, ascending, remains in it. All are residencies of one tensor, by
// begin; the caller finds out whether the result can be built.
std::vector<Residency> SpliceResidencies(const std::vector<KernelIndex>& uses,
                                         const std::vector<Residency>& before,
                                         const std::vector<Residency>& after,
                                         KernelIndex boundary);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_SPLICE_H_
