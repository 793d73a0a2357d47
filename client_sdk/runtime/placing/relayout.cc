#include "client_sdk/runtime/placing/relayout.h"

#include <optional>
#include <utility>

namespace stowage::runtime {

void Relayout::Make(const std::vector<PlanTarget>& targets) {
  Begin(targets);
  while (!pending_.empty()) {
    if (free_.empty()) {
      StepAside(std::get<size_t>(*pending_.begin()));
      continue;
    }
    const size_t index = free_.back();
    free_.pop_back();
    const Target& target = targets_[index];
    if (!target.done && target.blockers == 0) Go(index);
  }
}

void Relayout::Begin(const std::vector<PlanTarget>& targets) {
  for (const auto& [block, place] : targets) {
    by_place_[place.offset_bytes] = targets_.size();
    targets_.push_back({.block = block, .place = place});
  }
  for (size_t i = 0; i < targets_.size(); ++i) {
    pending_.insert(TurnOf(i));
    NoteBlocked(i);
  }
  for (size_t i = 0; i < targets_.size(); ++i) {
    if (targets_[i].blockers == 0) free_.push_back(i);
  }
}

Relayout::Turn Relayout::TurnOf(size_t index) const {
  const Target& target = targets_[index];
  return {target.aside, target.block->size_bytes, index};
}

// Places do not overlap: those that do not end behind the block's begin are
// followed, downwards, by none that does.
void Relayout::NoteBlocked(size_t index) {
  const Block& block = *targets_[index].block;
  const int64_t begin_bytes = block.place.offset_bytes;
  auto place = by_place_.lower_bound(begin_bytes + block.room_bytes());
  while (place != by_place_.begin()) {
    const auto [offset_bytes, other] = *--place;
    Target& waits = targets_[other];
    if (offset_bytes + waits.block->room_bytes() <= begin_bytes) return;
    if (other == index || waits.done) continue;
    ++waits.blockers;
    targets_[index].blocks.push_back(other);
  }
}

void Relayout::NoteUnblocked(size_t index) {
  for (const size_t other : std::exchange(targets_[index].blocks, {})) {
    if (--targets_[other].blockers == 0) free_.push_back(other);
  }
}

void Relayout::Go(size_t index) {
  const Target& target = targets_[index];
  Finish(index);
  if (!evictor_->ClearRoomAt(target.place, *target.block) ||
      !mover_->Shift(target.block, target.place)) {
    Leave(target.block);
  }
  NoteUnblocked(index);
}

void Relayout::StepAside(size_t index) {
  Target& target = targets_[index];
  const std::optional<Place> hole =
      target.aside ? std::nullopt
                   : blocks_->TakeRoom(session::kFastTier, target.block);
  if (!hole.has_value() || mover_->MoveNow(target.block, *hole) != 0) {
    Finish(index);
    Leave(target.block);
    return NoteUnblocked(index);
  }
  pending_.erase(TurnOf(index));
  target.aside = true;
  pending_.insert(TurnOf(index));
  NoteUnblocked(index);
  NoteBlocked(index);
}

void Relayout::Finish(size_t index) {
  pending_.erase(TurnOf(index));
  targets_[index].done = true;
}

void Relayout::Leave(Block* block) {
  if (blocks_->Movable(*block)) evictor_->Evict(block);
}

}  // namespace stowage::runtime
