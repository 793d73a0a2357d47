// Schedules the copies of chosen absences by a simulation of the step. It
// issues each copy out as its tensor falls idle, and each copy in as soon as
// there is room that nothing else will need before, in the order of need.
// Kernels wait only for room or an operand.
//
//   MoveSchedule schedule = ScheduleMoves(costs, absences, allowed_bytes);
//   std::vector<Residency> residencies =
//       ResidenciesWithout(graph, schedule.taken);
//
// Pure, deterministic; time is O(n log n) in kernels and absences.
#ifndef STOWAGE_POLICIES_SEARCH_ABSENCES_MOVE_SCHEDULE_H_
#define STOWAGE_POLICIES_SEARCH_ABSENCES_MOVE_SCHEDULE_H_

#include <cstdint>
#include <vector>

#include "policies/planning/inactive_period.h"
#include "policies/search/absences/cost_model.h"
#include "policies/search/absences/transfer.h"

namespace stowage::policies {

struct MoveSchedule {
  std::vector<TakenPeriod> taken;
  int64_t step_ns = 0;
  // How long each of the K + 1 boundaries waits for room, and for operands.
  std::vector<int64_t> room_wait_ns;
  std::vector<int64_t> operand_wait_ns;
  std::vector<int64_t> kernel_ns;  // by kernel, without waiting
  // By boundary: the room that copies under way need if each begins in time.
  std::vector<int64_t> under_way_bytes;
};

// Schedules the copies. `allowed_bytes` are K + 1 values by boundary, the ones
// that the absences were chosen for.
MoveSchedule ScheduleMoves(const CostModel& costs,
                           const std::vector<PlacedAbsence>& absences,
                           const std::vector<int64_t>& allowed_bytes);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ABSENCES_MOVE_SCHEDULE_H_
