// Where a plan keeps each tensor, one residency after the other.
//
//   std::optional<std::vector<TensorResidencies>> residencies =
//       FindTierResidencies(graph, plan);
//   for (const TierResidency& residency : (*residencies)[tensor].residencies) ...
//
// Pure functions.
#ifndef STOWAGE_POLICIES_AGGREGATION_TIER_RESIDENCY_H_
#define STOWAGE_POLICIES_AGGREGATION_TIER_RESIDENCY_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/layout/address_layout.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

// Room that a tensor holds without a break.
struct TierResidency {
  TierIndex tier = kFastTier;
  // Equal for the residencies of a tensor that are at one place: a drop leads
  // to where the tensor was fetched from, and a step ends where it begins.
  int place = 0;
  // In events, of which a boundary has several: what is freed, each move that
  // begins, what is allocated. Finer than kernels, since a place that one move
  // leaves may be taken by the next one at the same boundary.
  Span held;
  int32_t arrived_by = -1;  // index of a move; -1: allocated there
};

struct TensorResidencies {
  // In the order of time. What a fetch keeps is held until the drop, where the
  // next residency at that place begins.
  std::vector<TierResidency> residencies;
  int birth = -1;  // the residency that begins with an allocation in the step
};

// By tensor. Nullopt when a move does not start where its tensor is, or a step
// does not end where the next one begins.
std::optional<std::vector<TensorResidencies>> FindTierResidencies(
    const Graph& graph, const Plan& plan);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AGGREGATION_TIER_RESIDENCY_H_
