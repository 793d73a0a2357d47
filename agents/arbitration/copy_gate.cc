#include "agents/arbitration/copy_gate.h"

#include <iterator>
#include <vector>

namespace stowage::agent {

CopyGate::Pass CopyGate::Enter(Direction direction, const Turn& turn,
                               int wanted) {
  absl::MutexLock lock(&mutex_);
  shares_.Begin(turn.job);
  Entry entry = {.turn = turn, .wanted = wanted, .places = 0};
  waiting_[direction].push_back(&entry);
  Admit(direction);
  mutex_.Await(absl::Condition(
      +[](Entry* mine) { return mine->places > 0; }, &entry));
  return Pass(this, direction, turn.job, entry.places);
}

void CopyGate::Leave(const Pass& pass) {
  absl::MutexLock lock(&mutex_);
  free_[pass.direction_] += pass.places_;
  shares_.End(pass.job_);
  Admit(pass.direction_);
}

// Gives places to those that wait, in their turn, while there are any.
void CopyGate::Admit(Direction direction) {
  std::list<Entry*>& waiting = waiting_[direction];
  while (free_[direction] > 0 && !waiting.empty()) {
    std::vector<Waiting> copies;
    for (const Entry* entry : waiting) {
      copies.push_back({.deadline_ns = entry->turn.deadline_ns,
                        .ahead_bytes = shares_.AheadBytes(entry->turn.job)});
    }
    const auto next = std::next(waiting.begin(), NextTurn(copies));
    Entry* const entry = *next;
    waiting.erase(next);
    entry->places = std::clamp(entry->wanted, 1, free_[direction]);
    free_[direction] -= entry->places;
    shares_.Charge(entry->turn.job, entry->turn.bytes);
  }
}

}  // namespace stowage::agent
