// Chooses a slower tier for each tensor: the first that kernels can use as they
// must, unless it is full or another rule says so; then the next tier for
// tensors whose copies its lanes have time for.
//
//   std::vector<PlacedAbsence> placed =
//       ChooseTiers(costs, choices, chosen, TierRule::kFirst);
//
// Pure, deterministic.
#ifndef STOWAGE_POLICIES_SEARCH_ABSENCES_TIER_CHOICE_H_
#define STOWAGE_POLICIES_SEARCH_ABSENCES_TIER_CHOICE_H_

#include <vector>

#include "policies/search/absences/absence.h"
#include "policies/search/absences/absence_selector.h"
#include "policies/search/absences/cost_model.h"
#include "policies/search/absences/transfer.h"

namespace stowage::policies {

enum class TierRule {
  kFirst,  // on to the next tier only what does not fit
  kLast,   // to the last tier all that its lanes have time for, long absences
           // first, so that all lanes share the work (G10, section 4.3)
};

// Places all absences of a tensor in one tier, since a tensor has one place in
// the slower tiers.
std::vector<PlacedAbsence> ChooseTiers(const CostModel& costs,
                                       const AbsenceChoices& choices,
                                       const std::vector<Choice>& chosen,
                                       TierRule rule);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ABSENCES_TIER_CHOICE_H_
