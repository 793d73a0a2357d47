// Finds the residency of a step: which absences are taken and when their copies
// run, so that kernels wait as little as possible and addresses fit.
//
//   Search search(costs, choices, {.rounds = 8});
//   absl::StatusOr<Plan> plan = search.FindPlan();
//
// Keeps references to its arguments. Not thread-safe.
#ifndef STOWAGE_POLICIES_STOW_SEARCH_H_
#define STOWAGE_POLICIES_STOW_SEARCH_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policies/planning/plan.h"
#include "policies/planning/plan_builder.h"
#include "policies/stow/absence_selector.h"
#include "policies/stow/move_schedule.h"

namespace stowage {

struct SearchEffort {
  // Schedules that are tried for each price of copying, each learning from the
  // one before how much room copies under way need.
  int rounds = 3;
  // Address layouts that are tried, each with less room where the one before
  // did not fit.
  int layouts = 20;
  // Segments that are laid out in all, beyond the first few layouts.
  int layout_segments = 60'000;
  // No new schedule or layout is begun after this.
  absl::Time deadline = absl::InfiniteFuture();
};

class Search {
 public:
  Search(const CostModel& costs, const AbsenceChoices& choices,
         const SearchEffort& effort);

  // RESOURCE_EXHAUSTED when no address layout was found.
  absl::StatusOr<Plan> FindPlan();

  // Whether the deadline kept the search from doing all it would have.
  bool timed_out() const { return timed_out_; }

 private:
  // What a schedule is made from.
  struct Recipe {
    LanePrices prices;
    std::vector<int64_t> reserve_bytes;  // by boundary, for copies under way
  };
  struct Candidate {
    Recipe recipe;
    std::vector<PlacedAbsence> placed;
    MoveSchedule schedule;
  };

  Candidate Evaluate(const Recipe& recipe) const;
  Candidate FindBest();
  bool IsLate();
  BuildInput MakeInput(const Candidate& candidate) const;
  void TakeRoom(const std::vector<FastSegment>& misfits);

  const CostModel& costs_;
  const AbsenceChoices& choices_;
  const SearchEffort effort_;
  bool timed_out_ = false;
  std::vector<int64_t> least_bytes_;    // by boundary, that must be allowed
  std::vector<int64_t> allowed_bytes_;  // by boundary
};

}  // namespace stowage

#endif  // STOWAGE_POLICIES_STOW_SEARCH_H_
