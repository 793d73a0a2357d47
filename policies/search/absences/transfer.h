// Lays the copies of one absence into one step: at which boundary each may be
// issued and by when it has to be complete.
//
//   Transfer transfer = MakeTransfer(costs, placed_absence);
//
// Pure functions.
#ifndef STOWAGE_POLICIES_SEARCH_ABSENCES_TRANSFER_H_
#define STOWAGE_POLICIES_SEARCH_ABSENCES_TRANSFER_H_

#include <cstdint>
#include <vector>

#include "policies/search/absences/absence.h"
#include "policies/search/absences/cost_model.h"

namespace stowage::policies {

// Describes an absence that was chosen, and the tier in which the tensor is
// meanwhile.
struct PlacedAbsence {
  Absence absence;  // its copies are those of `tier`
  TierIndex tier = 1;
  // Whether it has to be taken even if there is room when it begins.
  bool required = false;
};

// Holds boundaries of one step. A turn is the number of boundaries by which the
// unrolled one is later: 0, or all of a step if the copy runs in the step after
// the one in which the absence begins.
struct Transfer {
  PlacedAbsence placed;
  KernelIndex out_turn = 0;
  KernelIndex leave = 0;   // the copy out is issued
  KernelIndex out_by = 0;  // it has to be complete
  KernelIndex in_turn = 0;
  KernelIndex fetch_from = 0;  // the copy in may be issued
  KernelIndex due = 0;         // it has to be complete

  // Return the unrolled boundaries between which the tensor is absent if copies
  // take no time.
  KernelIndex absent_from() const;
  KernelIndex absent_to() const;
};

// Makes the transfer. A move must not cross the end of the step: a copy that
// might runs in this step if enough of it is left, else in the next one.
Transfer MakeTransfer(const CostModel& costs, const PlacedAbsence& placed);

// Returns the time from each of the K boundaries to the next without stalls:
// kernels with the operands that the absences make them use in a slower tier.
std::vector<int64_t> KernelTimesNs(const CostModel& costs,
                                   const std::vector<PlacedAbsence>& absences);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ABSENCES_TRANSFER_H_
