// The times a tensor may be absent from the fast tier, and what each costs: the
// gaps between its uses and, where kernels can use a slower tier in place,
// spans of several uses that are served from there.
//
//   CostModel costs(graph, system, workload);
//   std::vector<Absence> absences = FindAbsences(graph, workload, costs);
#ifndef STOWAGE_POLICIES_STOW_ABSENCE_H_
#define STOWAGE_POLICIES_STOW_ABSENCE_H_

#include <cstdint>
#include <vector>

#include "policies/planning/gap.h"
#include "policies/stow/cost_model.h"

namespace stowage {

struct Absence {
  // `slow_first` to `slow_last` are the uses it covers. Begins within the step:
  // all its boundaries are `turn` (0 or a step) less than in FindGaps.
  Gap gap;
  KernelIndex turn = 0;
  int64_t size_bytes = 0;  // rounded up to the granularity of placement
  int64_t out_ns = 0;      // copy to the second tier; 0 without a move out
  int64_t in_ns = 0;
  int64_t penalty_ns = 0;  // what the covered uses take longer
};

// By tensor. Absences that have to be taken are exactly those whose gap is
// mandatory in FindGaps; they come with `required`. Spans of uses are limited
// to kLongestSpan unless they reach an end of the tensor's life.
struct AbsenceChoices {
  std::vector<Absence> absences;
  std::vector<bool> required;  // parallel to `absences`
};
AbsenceChoices FindAbsences(const Graph& graph, const Workload& workload,
                            const CostModel& costs);

}  // namespace stowage

#endif  // STOWAGE_POLICIES_STOW_ABSENCE_H_
