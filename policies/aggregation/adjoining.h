// Adjoins tensors: those that a plan moves together lie next to one another, so
// that one copy moves them. Source: DeepTM III-C1.
//
//   std::vector<TensorGroup> groups = AdjoinTensors(
//       graph, plan, residencies, accesses, std::move(pages), 16 << 20);
#ifndef STOWAGE_POLICIES_AGGREGATION_ADJOINING_H_
#define STOWAGE_POLICIES_AGGREGATION_ADJOINING_H_

#include <cstdint>
#include <vector>

#include "policies/aggregation/tensor_group.h"
#include "policies/aggregation/tier_residency.h"
#include "policies/heat/access_index.h"
#include "policies/model/graph.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

// Puts each tensor into exactly one group. The pages of `pages` and the tensors
// in none of them lie next to others of one route, by ascending reuse distance
// r and, where that is equal, by ascending reuse count f, both at the kernel
// that allocates them. No group of several is larger than `most_group_bytes`.
// Tensors half as large are groups of their own, since copying them alone is as
// fast. Nor does a group hold much more room than its tensors hold one by one.
std::vector<TensorGroup> AdjoinTensors(
    const Graph& graph, const Plan& plan,
    const std::vector<TensorResidencies>& residencies,
    const AccessIndex& accesses, std::vector<TensorGroup> pages,
    int64_t most_group_bytes);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AGGREGATION_ADJOINING_H_
