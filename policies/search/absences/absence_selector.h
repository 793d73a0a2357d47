// Chooses which absences to take so that the rest fits into the fast tier, as
// if copies took no time: a weighted interval cover.
//
//   AbsenceSelector selector(graph, choices);
//   std::vector<Choice> chosen = selector.Select(
//       CostsAt(choices, prices), ExcessBytes(costs, allowed_bytes));
//
// It sweeps over the boundaries. Where too much is held, it takes the absence
// whose cost per byte and per boundary that it relieves from here on is least.
// With equal costs per byte this is Belady's rule, which then moves the fewest
// bytes. Absences that turn out to be unnecessary are given back.
//
// Keeps a reference to the choices. Not thread-safe.
#ifndef STOWAGE_POLICIES_SEARCH_ABSENCES_ABSENCE_SELECTOR_H_
#define STOWAGE_POLICIES_SEARCH_ABSENCES_ABSENCE_SELECTOR_H_

#include <cstdint>
#include <vector>

#include "policies/model/groups.h"
#include "policies/search/absences/absence.h"
#include "policies/search/absences/occupancy.h"
#include "policies/search/absences/rank_set.h"

namespace stowage::policies {

// Says what a nanosecond of copying costs in nanoseconds of the step: 0 if
// copies hide behind kernels, 1 if everything waits for a lane.
struct LanePrices {
  double out = 1;
  double in = 1;
  // What a nanosecond costs that a kernel takes longer.
  double kernel = 1;
};

// Returns what each absence costs, by absence; at least 1.
std::vector<double> CostsAt(const AbsenceChoices& choices,
                            const LanePrices& prices);

// Holds an absence that was chosen, an index into the choices, and the boundary
// that needs its room first, unrolled.
struct Choice {
  int absence = 0;
  KernelIndex needed_at = 0;
};

class AbsenceSelector {
 public:
  AbsenceSelector(const Graph& graph, const AbsenceChoices& choices);

  // Returns choices by absence. `costs` are by absence, > 0. `excess_bytes` are
  // K + 1 values by boundary: the bytes held if everything is fast, less the
  // allowed ones.
  std::vector<Choice> Select(const std::vector<double>& costs,
                             const std::vector<int64_t>& excess_bytes);

 private:
  // Keeps what the sweep reads of an absence close together.
  struct Item {
    KernelIndex from = 0;
    KernelIndex to = 0;
    KernelIndex period_from = 0;
    KernelIndex period_to = 0;
    TensorIndex tensor = 0;
    bool taken = false;
    bool closed = false;  // cannot be taken (any more)
    bool covers = false;  // may contain some that are taken
    // It cannot be taken before this boundary, since a taken one relieves all
    // before it.
    KernelIndex useless_before = 0;
    KernelIndex needed_at = 0;
    int64_t size_bytes = 0;
    double cost = 0;
    double covered_cost = 0;  // of all it contained as they were taken
    int cost_class = 0;       // by cost per byte, from 0 on
  };
  // Holds the boundary an absence ends at, unrolled from the sweep's position.
  // An absence that reaches across the end of the step has two.
  struct End {
    KernelIndex boundary = 0;
    int absence = 0;
  };

  void Reset(const std::vector<double>& costs,
             const std::vector<int64_t>& excess_bytes);
  void ClassifyCosts(const std::vector<double>& costs);
  void RankEnds();
  void Open(KernelIndex boundary);
  bool Relieve(KernelIndex boundary);
  // Returns the absence that relieves the boundary at the least cost, among the
  // first of each class; -1: none.
  int Cheapest(KernelIndex boundary, int most_misfits);
  // Returns how much an absence costs for what it relieves; negative when it
  // cannot be taken. `item` is not known to be useless.
  double Score(Item& item, KernelIndex boundary, KernelIndex end);
  // Sets `covered_` to the taken absences that it overlaps, and so contains.
  void FindCovered(const Item& item);
  // Closes it and all that overlap without containing it. These can never be
  // taken, since it is given back only for one that contains it.
  void Take(int absence, KernelIndex boundary);
  void Close(int absence);
  void Cover(const Item& taken, Item& item);
  void GiveBack(int absence);
  void GiveBackTheUnnecessary();
  bool Overlap(const Item& a, const Item& b) const;
  bool Contains(const Item& a, const Item& b) const;

  const AbsenceChoices& choices_;
  const KernelIndex step_;
  std::vector<Item> items_;       // by absence
  std::vector<int> first_of_;     // by tensor, one more: its first absence
  Groups starts_;                 // absences, by where they begin
  std::vector<End> ends_;         // ascending
  std::vector<int> over_before_;  // boundaries < b that hold too much

  Occupancy excess_;                        // bytes held, less what is allowed
  std::vector<std::vector<int>> taken_of_;  // by tensor, disjoint, ascending
  std::vector<int> covered_;
  // Ends by class and boundary, the first rank of each class, and one more.
  std::vector<End> ranked_;
  std::vector<int> first_rank_;
  // By class: the least cost per byte, and the most that covered absences may
  // take off it.
  std::vector<double> least_cost_per_byte_;
  std::vector<double> covered_per_byte_;
  std::vector<int> rank_;        // by absence
  std::vector<int> early_rank_;  // of the end in this step of what reaches
                                 // across the end of the step, or -1
  RankSet open_;                 // ranks
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ABSENCES_ABSENCE_SELECTOR_H_
