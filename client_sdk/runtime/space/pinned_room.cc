#include "client_sdk/runtime/space/pinned_room.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "client_sdk/runtime/blocks/victims.h"

namespace stowage::runtime {
namespace {

bool Fast(const Block& block) { return block.place.tier == session::kFastTier; }

}  // namespace

bool PinnedRoom::FitsBelowPlan(const Block& block) {
  const int64_t end_bytes = block.place.offset_bytes + block.room_bytes();
  if (Fast(block) && end_bytes <= plan_begin_bytes_) return true;
  mover_->FinishAhead(/*wait=*/true);
  const std::optional<Victims> victims = evictor_->LowestRoom(block);
  return victims.has_value() &&
         victims->offset_bytes + block.room_bytes() <= plan_begin_bytes_;
}

bool PinnedRoom::SetAside(Block* block) {
  mover_->FinishAhead(/*wait=*/true);
  const std::optional<Victims> victims = evictor_->LowestRoom(*block);
  if (victims.has_value() &&
      (!Fast(*block) || victims->offset_bytes < block->place.offset_bytes)) {
    const std::optional<Place> room = evictor_->ClearRoom(victims, block);
    if (room.has_value()) evictor_->FetchTo(*room, block);
  }
  if (!Fast(*block)) return false;
  block->set_aside = true;
  CoverSetAside();
  return true;
}

uint64_t PinnedRoom::AddView(Block* block) {
  blocks_->MarkPinned(block);
  ++block->views;
  viewed_[block->id] = block;
  return block->id;
}

void PinnedRoom::EndView(uint64_t view) {
  const auto viewed = viewed_.find(view);
  if (viewed == viewed_.end()) return;
  Block* block = viewed->second;
  if (--block->views > 0) return;
  viewed_.erase(viewed);
  blocks_->MarkUnpinned(block);
}

const Block* PinnedRoom::Viewed(uint64_t view) const {
  const auto viewed = viewed_.find(view);
  return viewed == viewed_.end() ? nullptr : viewed->second;
}

void PinnedRoom::ForgetViews(Block* block) {
  viewed_.erase(block->id);
  block->views = 0;
}

void PinnedRoom::NoteLastingViews() {
  for (const auto& [id, block] : viewed_) lasting_.insert(block->birth_tag);
}

bool PinnedRoom::Stays(const Block& block, int64_t step) const {
  if (!Fast(block)) return false;
  if (block.pinned) return block.views == 0 || ViewsLast(block);
  return block.storage != nullptr ? blocks_->StorageStays(block)
                                  : block.birth_step < step - 1;
}

bool PinnedRoom::AnyStaysElsewhere(const std::vector<PlanTarget>& targets,
                                   int64_t step) const {
  return std::any_of(targets.begin(), targets.end(),
                     [this, step](const PlanTarget& target) {
                       return Stays(*target.block, step) &&
                              target.block->place != target.place;
                     });
}

std::vector<Block*> PinnedRoom::FindStaying(int64_t step) const {
  std::vector<Block*> staying;
  if (space_->limit().unlimited()) return staying;
  for (Block* block : blocks_->all()) {
    if (!block->set_aside && Stays(*block, step)) staying.push_back(block);
  }
  return staying;
}

void PinnedRoom::SetAsideInPlace(Block* block) {
  blocks_->MarkPinned(block);
  block->set_aside = true;
  const int64_t begin_bytes = block->place.offset_bytes;
  const int64_t end_bytes = begin_bytes + block->room_bytes();
  block->above_plans =
      begin_bytes + end_bytes > blocks_->fast().capacity_bytes();
}

void PinnedRoom::EndStep(uint64_t signature) {
  CoverSetAside();
  Kept& kept = kept_[signature];
  kept.recent.Cover(step_rooms_);
  kept.rooms.Cover(kept.recent);
}

int64_t PinnedRoom::TakeBytes(uint64_t signature) {
  Kept& kept = kept_[signature];
  kept.rooms = std::exchange(kept.recent, {});
  return kept.rooms.bytes();
}

bool PinnedRoom::FindPlanBegin(const PlanTable& plan) {
  CoverSetAside();
  EndRooms rooms = kept_[plan.signature].rooms;
  rooms.Cover(step_rooms_);
  plan_begin_bytes_ = space_->window_bytes() + rooms.below_bytes;
  plan_above_bytes_ = rooms.above_bytes;
  return plan_begin_bytes_ + plan.fast_end_bytes + plan_above_bytes_ <=
         blocks_->fast().capacity_bytes();
}

void PinnedRoom::EndRooms::Cover(const EndRooms& other) {
  below_bytes = std::max(below_bytes, other.below_bytes);
  above_bytes = std::max(above_bytes, other.above_bytes);
}

// The room that no plan uses ends with the innermost block in it; the window's
// own bytes do not count.
void PinnedRoom::CoverSetAside() {
  const Arena& fast = blocks_->fast();
  for (const auto& [offset_bytes, extent] : fast.used()) {
    const Block* block = extent.block;
    if (!block->set_aside) continue;
    const int64_t end_bytes = offset_bytes + extent.size_bytes;
    step_rooms_.Cover(
        block->above_plans
            ? EndRooms{.above_bytes = fast.capacity_bytes() - offset_bytes}
            : EndRooms{.below_bytes = end_bytes - space_->window_bytes()});
  }
}

}  // namespace stowage::runtime
