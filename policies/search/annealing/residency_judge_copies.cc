// The copies that residencies want, as the judge lists them by boundary.
#include <algorithm>
#include <utility>

#include "policies/search/annealing/residency_judge.h"

namespace stowage::policies {
namespace {

int OutLane(TierIndex tier) { return 2 * (tier - 1); }
int InLane(TierIndex tier) { return OutLane(tier) + 1; }

}  // namespace

std::vector<ResidencyJudge::Copy> ResidencyJudge::CopiesFor(
    TensorIndex t) const {
  std::vector<Copy> copies;
  const auto add = [&](int lane, KernelIndex start, KernelIndex deadline) {
    const size_t lanes = static_cast<size_t>(t) * lane_count_;
    copies.push_back({.tensor = t,
                      .lane = lane,
                      .start = start,
                      .deadline = deadline,
                      .duration_ns = copy_ns_[lanes + lane]});
  };
  for (const Residency& residency : residencies_[t]) {
    if (residency.moved_in) {
      add(InLane(home_[t]), residency.begin, residency.ready);
    }
    const bool is_copied =
        residency.moved_out && !drops_.DropAt(residency).has_value();
    if (is_copied) add(OutLane(home_[t]), residency.leave, residency.end);
  }
  return copies;
}

void ResidencyJudge::ReplaceCopies(TensorIndex t, Undo& undo) {
  std::vector<Copy> wanted = CopiesFor(t);
  undo.copies = std::exchange(copies_of_[t], {});
  for (const int id : undo.copies) {
    const Copy& copy = copies_[id];
    const auto same =
        std::find_if(wanted.begin(), wanted.end(), [&](const Copy& other) {
          return copy.lane == other.lane && copy.start == other.start &&
                 copy.deadline == other.deadline;
        });
    if (same != wanted.end()) {
      wanted.erase(same);
      copies_of_[t].push_back(id);
    } else {
      Unlist(id);
      undo.removed.push_back(id);
    }
  }
  for (const Copy& copy : wanted) {
    undo.added.push_back(AddCopy(copy));
    copies_[undo.added.back()].is_new = true;
  }
}

int ResidencyJudge::AddCopy(const Copy& copy) {
  int id = static_cast<int>(copies_.size());
  if (free_copies_.empty()) {
    copies_.push_back(copy);
  } else {
    id = free_copies_.back();
    free_copies_.pop_back();
    copies_[id] = copy;
  }
  copies_of_[copy.tensor].push_back(id);
  List(id);
  return id;
}

bool ResidencyJudge::IsBefore(const Copy& a, const Copy& b) {
  if (a.to_fast() != b.to_fast()) return !a.to_fast();
  if (a.synchronous() != b.synchronous()) return a.synchronous();
  if (a.deadline != b.deadline) return a.deadline < b.deadline;
  return a.tensor < b.tensor;
}

void ResidencyJudge::List(int id) {
  const Copy& copy = copies_[id];
  std::vector<int>& starts = starts_[copy.start];
  starts.insert(std::upper_bound(starts.begin(), starts.end(), id,
                                 [&](int a, int b) {
                                   return IsBefore(copies_[a], copies_[b]);
                                 }),
                id);
  if (!copy.synchronous()) deadlines_[copy.deadline].push_back(id);
  NoteChange(copy.start);
}

void ResidencyJudge::Unlist(int id) {
  const Copy& copy = copies_[id];
  std::erase(starts_[copy.start], id);
  if (!copy.synchronous()) std::erase(deadlines_[copy.deadline], id);
  NoteChange(copy.start);
}

}  // namespace stowage::policies
