// Chooses which absences to take so that what is left fast fits, as if copies
// took no time: a weighted interval cover.
//
//   AbsenceSelector selector(graph, choices,
//                            ExcessBytes(costs, allowed_bytes));
//   std::vector<Choice> chosen = selector.Select(CostsAt(choices, prices));
//
// A sweep over the boundaries. Where too much is held, the absence is taken
// whose cost per byte and per boundary that it relieves from here on is least;
// where all cost the same per byte this is Belady's rule, which then moves the
// fewest bytes. Absences that turn out to be unnecessary are given back.
//
// Keeps references to its arguments. Not thread-safe.
#ifndef STOWAGE_POLICIES_STOW_ABSENCE_SELECTOR_H_
#define STOWAGE_POLICIES_STOW_ABSENCE_SELECTOR_H_

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "policies/stow/absence.h"
#include "policies/stow/occupancy.h"

namespace stowage {

// What a nanosecond of copying costs in nanoseconds of the step: 0 where
// copies hide behind kernels, 1 where a lane is what everything waits for.
struct LanePrices {
  double out = 1;
  double in = 1;
  // What a nanosecond that a kernel takes longer costs.
  double kernel = 1;
};

// What each absence costs, by absence; at least 1.
std::vector<double> CostsAt(const AbsenceChoices& choices,
                            const LanePrices& prices);

// An absence that was chosen, an index into the choices, and the boundary that
// needs its room first, unrolled.
struct Choice {
  int absence = 0;
  KernelIndex needed_at = 0;
};

class AbsenceSelector {
 public:
  // `excess_bytes`: by boundary, K + 1 values: what is held if all is fast, less
  // what is allowed.
  AbsenceSelector(const Graph& graph, const AbsenceChoices& choices,
                  const std::vector<int64_t>& excess_bytes);

  // By absence. `costs`: by absence, > 0.
  std::vector<Choice> Select(std::vector<double> costs);

 private:
  // Absences by the boundary they end at, unrolled from the sweep's position.
  using ByEnd = std::set<std::pair<KernelIndex, int>>;

  void Reset(std::vector<double> costs);
  void Open(KernelIndex boundary);
  bool Relieve(KernelIndex boundary);
  // The absence that relieves the boundary at the least cost, of the first of
  // each class; -1: none.
  int Cheapest(KernelIndex boundary, int most_misfits);
  // How much an absence costs for what it relieves; negative when it cannot be
  // taken.
  double Score(int absence, KernelIndex boundary, KernelIndex end);
  // Sets `covered_` to the taken absences that it overlaps, and so contains.
  void FindCovered(int absence);
  // Closes it and all that overlap without containing it: those never can be
  // taken, since it is only ever given back for one that contains it.
  void Take(int absence, KernelIndex boundary);
  void Close(int absence);
  int ClassOf(int absence) const;  // by cost per byte
  void GiveBack(int absence);
  void GiveBackTheUnnecessary();

  const AbsenceChoices& choices_;
  const KernelIndex step_;
  Occupancy initial_;
  std::vector<int64_t> over_before_;  // boundaries < b that hold too much
  std::vector<std::vector<int>> by_start_;
  std::vector<std::vector<int>> all_of_;  // by tensor

  Occupancy excess_;  // bytes held, less what is allowed
  std::vector<double> cost_;
  std::vector<bool> taken_;
  std::vector<bool> closed_;  // can not be taken (any more)
  std::vector<KernelIndex> needed_at_;
  std::vector<std::vector<int>> taken_of_;  // by tensor, disjoint, ascending
  std::vector<int> covered_;
  std::map<int, ByEnd> open_;  // by class of cost per byte
};

}  // namespace stowage

#endif  // STOWAGE_POLICIES_STOW_ABSENCE_SELECTOR_H_
