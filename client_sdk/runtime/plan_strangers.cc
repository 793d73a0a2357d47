#include "client_sdk/runtime/plan_strangers.h"

#include <vector>

#include "client_sdk/runtime/arena.h"

namespace stowage::runtime {

std::optional<Place> PlanStrangers::TakeRoom(Place place, Block* block) {
  if (place.tier != session::kFastTier) {
    return blocks_->TakeRoomNear(place, block);
  }
  const bool taken =
      blocks_->TakeRoomAt(place, block) ||
      (ClearFastRoom(place, *block) && blocks_->TakeRoomAt(place, block));
  return taken ? std::optional(place) : std::nullopt;
}

// Evicts all that stands in the block's room there, or nothing.
bool PlanStrangers::ClearFastRoom(Place place, const Block& block) {
  std::vector<Block*> strangers;
  const int64_t begin_bytes = place.offset_bytes;
  const int64_t end_bytes = begin_bytes + block.room_bytes();
  const Arena::Extents& used = blocks_->fast().used();
  auto extent = used.upper_bound(begin_bytes);
  if (extent != used.begin()) --extent;
  for (; extent != used.end() && extent->first < end_bytes; ++extent) {
    if (extent->first + extent->second.size_bytes <= begin_bytes) continue;
    if (!IsStranger(*extent->second.block)) return false;
    strangers.push_back(extent->second.block);
  }
  for (Block* stranger : strangers) evictor_->Evict(stranger);
  return true;
}

bool PlanStrangers::Fetch(const PlanTable& plan, int64_t first_kernel,
                          Block* block) {
  const bool only_user = block->users == 1;  // the running kernel
  if (block->storage == nullptr || block->pinned || block->moving() ||
      !only_user) {
    return false;
  }
  tensors_->Forget(block);
  Block* absent = FindAbsentTwin(plan, first_kernel, *block);
  if (absent == nullptr) return FetchToGap(block);
  const Place place = absent->place;
  evictor_->Evict(absent);
  tensors_->Replace(absent, block);
  return blocks_->TakeRoomAt(place, block) &&
         mover_->MoveNow(block, place) == 0;
}

bool PlanStrangers::FetchToGap(Block* block) {
  const std::optional<Place> room =
      blocks_->TakeRoom(session::kFastTier, block);
  return room.has_value() && mover_->MoveNow(block, *room) == 0;
}

// A tensor of the plan that is as large, was alive when the step began and has
// not been used since: the profiled step's batch, most likely.
Block* PlanStrangers::FindAbsentTwin(const PlanTable& plan,
                                     int64_t first_kernel,
                                     const Block& stranger) const {
  for (const session::PlanInitial& initial : plan.initial) {
    Block* block = tensors_->at(initial.tensor);
    if (block != nullptr && block->size_bytes == stranger.size_bytes &&
        block->place.tier == session::kFastTier && !block->parameter &&
        block->last_use < first_kernel && blocks_->Movable(*block)) {
      return block;
    }
  }
  return nullptr;
}

}  // namespace stowage::runtime
