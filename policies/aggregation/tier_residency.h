// Says where a plan keeps each tensor, one residency after the other.
//
//   std::optional<std::vector<TensorResidencies>> residencies =
//       FindTierResidencies(graph, plan);
//   for (const TierResidency& residency : (*residencies)[tensor].residencies) {
//     Use(residency.tier);
//   }
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

// Describes room that a tensor holds without a break.
struct TierResidency {
  TierIndex tier = kFastTier;
  // Equal for the residencies of a tensor that are at one place: a drop leads
  // to where the tensor was fetched from, and a step ends where it begins.
  int place = 0;
  // When it is held, in events, of which a boundary has several: what is freed,
  // each move that begins, what is allocated. Events are finer than kernels,
  // since the next move at the same boundary may take a place that one move
  // leaves.
  Span held;
  int32_t arrived_by = -1;  // index of a move; -1: allocated there
};

struct TensorResidencies {
  // In the order of time. A place that a fetch keeps is held until the drop,
  // where the next residency at that place begins.
  std::vector<TierResidency> residencies;
  int birth = -1;  // the residency that begins with an allocation in the step
};

// Returns residencies by tensor; nullopt if a move does not start where its
// tensor is, or if a step does not end where the next one begins.
std::optional<std::vector<TensorResidencies>> FindTierResidencies(
    const Graph& graph, const Plan& plan);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AGGREGATION_TIER_RESIDENCY_H_
