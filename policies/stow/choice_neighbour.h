// Small changes to what was chosen: one to three absences less or more, and what
// that makes necessary or unnecessary.
//
//   NeighbourFinder finder(graph, choices);
//   std::mt19937_64 random(1);
//   std::optional<std::vector<Choice>> other =
//       finder.Change(chosen, costs, excess_bytes, lost_ns, random);
//
// Keeps a reference to the choices. Not thread-safe.
#ifndef STOWAGE_POLICIES_STOW_CHOICE_NEIGHBOUR_H_
#define STOWAGE_POLICIES_STOW_CHOICE_NEIGHBOUR_H_

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "policies/stow/absence_selector.h"

namespace stowage {

class NeighbourFinder {
 public:
  NeighbourFinder(const Graph& graph, const AbsenceChoices& choices);

  // Absences that fit as AbsenceSelector::Select's do, by absence; nullopt where
  // the change could not be made good. `costs`: by absence, > 0; `excess_bytes`:
  // by boundary, K + 1 values, as for AbsenceSelector; `lost_ns`: by boundary,
  // >= 0: what is waited for there and what the kernel behind it takes longer.
  // Most changes are made where much is lost.
  std::optional<std::vector<Choice>> Change(
      const std::vector<Choice>& chosen, const std::vector<double>& costs,
      const std::vector<int64_t>& excess_bytes,
      const std::vector<int64_t>& lost_ns, std::mt19937_64& random);

 private:
  enum class State { kOut, kTaken, kForced, kBanned };

  void Reset(const std::vector<Choice>& chosen,
             const std::vector<int64_t>& excess_bytes);
  // One that is absent just before or at a boundary at which time is lost, or
  // any.
  int Draw(const std::vector<int64_t>& lost_before_ns,
           std::mt19937_64& random) const;
  void Ban(int absence);
  void Force(int absence);
  bool Repair();
  // The absence that relieves the boundary at the least cost; -1: none.
  int Cheapest(KernelIndex boundary);
  void GiveBackTheUnnecessary();
  bool IsTaken(int absence) const {
    return state_[absence] == State::kTaken ||
           state_[absence] == State::kForced;
  }
  // Sets `replaced_` to the taken absences that it overlaps. False where one of
  // them has to stay.
  bool FindReplaced(int absence);
  void Take(int absence, KernelIndex boundary);
  void Release(int absence);
  void AddBytes(int absence, int64_t bytes);
  bool Covers(int absence, KernelIndex boundary) const;

  const AbsenceChoices& choices_;
  const KernelIndex step_;
  std::vector<std::vector<int>> covering_;  // by boundary
  std::vector<std::vector<int>> all_of_;    // by tensor
  const std::vector<double>* costs_ = nullptr;
  std::vector<int64_t>
      excess_;                // by boundary: bytes held, less what is allowed
  std::vector<State> state_;  // by absence
  std::vector<KernelIndex> needed_at_;
  std::vector<int> replaced_;
};

}  // namespace stowage

#endif  // STOWAGE_POLICIES_STOW_CHOICE_NEIGHBOUR_H_
