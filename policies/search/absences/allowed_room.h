// Keeps how much of the fast tier a plan may use at each boundary: less than
// there is where addresses were not found.
//
//   AllowedRoom room(costs, choices);
//   room.AllowAll(0.93);
//   room.Take(misfits, 0.5);  // half of their bytes, while they are held
//   const std::vector<int64_t>& bytes = room.bytes();
//
// Keeps references to its arguments. Not thread-safe.
#ifndef STOWAGE_POLICIES_SEARCH_ABSENCES_ALLOWED_ROOM_H_
#define STOWAGE_POLICIES_SEARCH_ABSENCES_ALLOWED_ROOM_H_

#include <cstdint>
#include <vector>

#include "policies/planning/plan_builder.h"
#include "policies/search/absences/absence.h"
#include "policies/search/absences/cost_model.h"

namespace stowage::policies {

class AllowedRoom {
 public:
  // Allows all of the arena.
  AllowedRoom(const CostModel& costs, const AbsenceChoices& choices);

  // Returns bytes by boundary, never below what kernels need.
  const std::vector<int64_t>& bytes() const { return bytes_; }

  // Allows a share of the arena everywhere.
  void AllowAll(double share);

  // Allows less while some of `misfits` are held, by a share of their bytes.
  // Fragmentation is local, so less is planned for only there (AutoTM, 4.2,
  // does the same with its limits).
  void Take(const std::vector<Residency>& misfits, double share);

 private:
  const CostModel& costs_;
  const AbsenceChoices& choices_;
  std::vector<int64_t> bytes_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ABSENCES_ALLOWED_ROOM_H_
