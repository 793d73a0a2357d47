#include "client_sdk/runtime/placing/plan_strangers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "client_sdk/runtime/blocks/arena.h"
#include "client_sdk/runtime/blocks/victims.h"

namespace stowage::runtime {
namespace {

// Room in the fast tier that the plan has for what a kernel allocates.
struct FastBirth {
  Place place;
  Block block;
};

std::vector<FastBirth> FastBirths(const PlanInStep& plan, int32_t kernel) {
  std::vector<FastBirth> births;
  const session::PlanAllocation* birth = nullptr;
  for (int32_t o = 0; (birth = plan.plan->Allocation(kernel, o)) != nullptr;
       ++o) {
    if (birth->tier != session::kFastTier) continue;
    FastBirth& fast = births.emplace_back();
    fast.place =
        PlannedPlace(birth->tier, birth->offset_bytes, plan.begin_bytes);
    fast.block.size_bytes = birth->size_bytes;
  }
  return births;
}

// Takes room of births that is free, and gives it back in the end.
class TakenRoom {
 public:
  TakenRoom(PlacedBlocks* blocks, std::vector<FastBirth> births)
      : blocks_(blocks), births_(std::move(births)) {
    for (auto& [place, birth] : births_) {
      if (blocks_->TakeRoomAt(place, &birth)) taken_.push_back(place);
    }
  }
  ~TakenRoom() {
    for (const Place& place : taken_) blocks_->GiveBack(place);
  }
  TakenRoom(const TakenRoom&) = delete;
  TakenRoom& operator=(const TakenRoom&) = delete;

 private:
  PlacedBlocks* blocks_;
  std::vector<FastBirth> births_;
  std::vector<Place> taken_;
};

// Returns whether the block is a tensor of the plan, or was one in this step.
bool Knows(const PlanTable& plan, const Block& block) {
  return block.tensor >= 0 ||
         std::any_of(plan.initial.begin(), plan.initial.end(),
                     [&block](const session::PlanInitial& initial) {
                       return initial.block_id == block.id;
                     });
}

}  // namespace

std::optional<Place> PlanStrangers::TakeRoom(Place place, Block* block) {
  if (place.tier != session::kFastTier) {
    return blocks_->TakeRoomNear(place, block);
  }
  return evictor_->TakeFastRoomAt(place, block) ? std::optional(place)
                                                : std::nullopt;
}

std::optional<Place> PlanStrangers::TakeRoomOrHole(Place place, Block* block) {
  const std::optional<Place> room = TakeRoom(place, block);
  return room.has_value() || place.tier != session::kFastTier ? room
                                                              : TakeHole(block);
}

void PlanStrangers::ClearWay(const PlanInStep& plan, int32_t kernel,
                             Block* operand) {
  if (operand->place.tier != session::kFastTier || !CanLeave(*operand)) return;
  const int64_t begin_bytes = operand->place.offset_bytes;
  const int64_t end_bytes = begin_bytes + operand->room_bytes();
  for (const auto& [place, birth] : FastBirths(plan, kernel)) {
    const int64_t birth_end_bytes = place.offset_bytes + birth.room_bytes();
    if (begin_bytes < birth_end_bytes && place.offset_bytes < end_bytes) {
      return evictor_->Evict(operand);
    }
  }
}

// The running kernel has not begun; it is among the users.
bool PlanStrangers::CanLeave(const Block& operand) const {
  const bool only_user = operand.users == 1;
  return only_user && blocks_->CanMove(operand);
}

bool PlanStrangers::Fetch(const PlanInStep& plan, int32_t kernel,
                          Block* block) {
  if (!CanLeave(*block)) return false;
  // One that the plan knows, and has elsewhere, is no other tensor's twin.
  const bool known = Knows(*plan.plan, *block);
  tensors_->Forget(block);
  Block* absent = known ? nullptr : FindAbsentTwin(plan, *block);
  if (absent == nullptr) return FetchToHole(plan, kernel, block);
  const Place place = absent->place;
  evictor_->Evict(absent);
  tensors_->Replace(absent, block);
  return blocks_->TakeRoomAt(place, block) &&
         mover_->MoveNow(block, place) == 0;
}

// Not into the room of what the kernel is about to allocate.
bool PlanStrangers::FetchToHole(const PlanInStep& plan, int32_t kernel,
                                Block* block) {
  std::optional<Place> room;
  BesideBirths(plan, kernel, [&] { room = TakeHole(block); });
  return room.has_value() && mover_->MoveNow(block, *room) == 0;
}

void PlanStrangers::BesideBirths(const PlanInStep& plan, int32_t kernel,
                                 const std::function<void()>& action) {
  const TakenRoom taken(blocks_, FastBirths(plan, kernel));
  action();
}

// Other strangers leave for it, the oldest first.
std::optional<Place> PlanStrangers::TakeHole(Block* block) {
  if (auto room = blocks_->TakeRoom(session::kFastTier, block)) return room;
  const auto leaves = [this](const Block& other) {
    return other.tensor < 0 && blocks_->Movable(other);
  };
  return evictor_->ClearRoom(ChooseVictims(blocks_->fast(), block->room_bytes(),
                                           blocks_->clock(), leaves),
                             block);
}

// A tensor of the plan that is as large, was alive when the step began and has
// not been used since: the profiled step's batch, most likely.
Block* PlanStrangers::FindAbsentTwin(const PlanInStep& plan,
                                     const Block& stranger) const {
  for (const session::PlanInitial& initial : plan.plan->initial) {
    Block* block = tensors_->at(initial.tensor);
    if (block != nullptr && block->size_bytes == stranger.size_bytes &&
        block->place.tier == session::kFastTier && !block->parameter &&
        block->last_use < plan.first_kernel && blocks_->Movable(*block)) {
      return block;
    }
  }
  return nullptr;
}

}  // namespace stowage::runtime
