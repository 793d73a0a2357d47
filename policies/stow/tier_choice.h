// Which slower tier each tensor goes to: the first that kernels can use as they
// must, unless it is full; then the tensors whose copies the next tier's lanes
// have time for.
//
//   std::vector<PlacedAbsence> placed = ChooseTiers(costs, choices, chosen);
//
// Pure, deterministic.
#ifndef STOWAGE_POLICIES_STOW_TIER_CHOICE_H_
#define STOWAGE_POLICIES_STOW_TIER_CHOICE_H_

#include <vector>

#include "policies/stow/absence.h"
#include "policies/stow/absence_selector.h"
#include "policies/stow/cost_model.h"
#include "policies/stow/transfer.h"

namespace stowage {

// All absences of a tensor are placed in
// one tier, since a tensor has one place in the slower tiers.
std::vector<PlacedAbsence> ChooseTiers(const CostModel& costs,
                                       const AbsenceChoices& choices,
                                       const std::vector<Choice>& chosen);

}  // namespace stowage

#endif  // STOWAGE_POLICIES_STOW_TIER_CHOICE_H_
