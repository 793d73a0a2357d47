// Finds the times a tensor may be absent from the fast tier, and what each
// costs: the periods between its uses and, where kernels can use a slower tier
// in place, spans of several uses that are served from there.
//
//   CostModel costs(graph, system, workload);
//   AbsenceChoices choices = FindAbsences(graph, workload, costs);
#ifndef STOWAGE_POLICIES_SEARCH_ABSENCES_ABSENCE_H_
#define STOWAGE_POLICIES_SEARCH_ABSENCES_ABSENCE_H_

#include <cstdint>
#include <vector>

#include "policies/planning/inactive_period.h"
#include "policies/search/absences/cost_model.h"

namespace stowage::policies {

struct Absence {
  // It covers the uses `slow_first` to `slow_last`. It begins within the step:
  // all its boundaries are `turn` (0 or a step) less than in
  // FindInactivePeriods.
  InactivePeriod period;
  KernelIndex turn = 0;
  int64_t size_bytes = 0;  // rounded up to the granularity of placement
  int64_t out_ns = 0;      // copy to the second tier; 0 without a move out
  int64_t in_ns = 0;
  int64_t penalty_ns = 0;  // how much longer the covered uses take
  // The time that copies lack, if no kernel waits.
  int64_t exposed_ns = 0;
  // Copies do not cross the end of the step. These say whether the copy out,
  // and the copy in, run in the step after the one in which the absence begins.
  bool out_next = false;
  bool in_next = false;
  // Boundaries between which the tensor is absent if copies take no time;
  // `from` lies within the step.
  KernelIndex from = 0;
  KernelIndex to = 0;
};

// Holds absences by tensor. Those that have to be taken are exactly those whose
// period is mandatory in FindInactivePeriods; they come with `required`. Spans
// of uses are limited to kLongestSpan unless they reach an end of the tensor's
// life. They begin and end between uses that are not by neighbouring kernels,
// or where the operands of one of these do not all fit.
struct AbsenceChoices {
  std::vector<Absence> absences;
  std::vector<bool> required;  // parallel to `absences`
  // The bytes at each of the K + 1 boundaries that are fast whatever is chosen.
  std::vector<int64_t> least_bytes;
};

// Finds the absences. Where kernels can use a slower tier in place, the
// operands of a kernel that are left slow because they do not all fit are a
// choice like any other; elsewhere `workload` has made that choice.
AbsenceChoices FindAbsences(const Graph& graph, const Workload& workload,
                            const CostModel& costs);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ABSENCES_ABSENCE_H_
