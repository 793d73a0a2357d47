// Tensors whose address is known outside. No plan can move them, so before the
// address is told they are set aside: the lowest room of the fast arena becomes
// theirs, next to the window's, and plans begin above it. To the profile they
// are dead from then on, and the room counts as that of unmanaged storages.
//
// What cannot move at that moment (a kernel runs on it, it is library scratch,
// it does not fit) stays where it is, pinned. If that is in fast memory, it is
// set aside there when a step begins without a plan, or with one that has it
// elsewhere, and plans end below it or begin above.
#include <algorithm>
#include <optional>
#include <utility>

#include "client_sdk/runtime/job.h"
#include "client_sdk/runtime/job_lock.h"

namespace stowage::runtime {

void Job::Pin(void* context) {
  if (!Manages(blocks_.StorageAddress(context))) return;
  Lock lock(this);
  // It may just have moved.
  Block* block = blocks_.Find(blocks_.StorageAddress(context));
  if (block == nullptr || block->pinned) return;
  if (block->moving()) mover_.Finish(block);
  blocks_.GiveUpKept(block);  // what is written from here on is not seen
  if (blocks_.Movable(*block)) SetAside(block);
  blocks_.MarkPinned(block);
}

void Job::SetAside(Block* block) {
  const auto fast = [block] { return block->place.tier == session::kFastTier; };
  if (space_.limit().unlimited() && fast()) return;  // nothing has to move
  space_.FollowPeak(step_, blocks_.tensor_bytes(), block->room_bytes());
  const std::optional<Victims> victims = LowestRoomAside(*block);
  if (victims.has_value() &&
      (!fast() || victims->offset_bytes < block->place.offset_bytes)) {
    const std::optional<Place> room = evictor_.ClearRoom(victims, block);
    if (room.has_value()) evictor_.FetchTo(*room, block);
  }
  if (!fast()) return;
  LeaveStep(block);
  block->set_aside = true;
  NoteSetAside();
}

// A plan that drives keeps its own room only as long as there is room below it.
std::optional<Victims> Job::LowestRoomAside(const Block& block) {
  mover_.FinishAhead(/*wait=*/true);
  const std::optional<Victims> victims = evictor_.LowestRoom(block);
  const bool below_plan =
      victims.has_value() &&
      victims->offset_bytes + block.room_bytes() <= plan_begin_bytes_;
  if (plan_ == nullptr || below_plan) return victims;
  Surprise("address-taken",
           "a tensor whose address is known outside takes room of the plan",
           profile_.kernel_count());
  return evictor_.LowestRoom(block);
}

// It is in fast memory for good: its address is known outside, as PyTorch says,
// or no storage has been seen for a whole step, so it is a library's.
bool Job::Stays(const Block& block) const {
  if (block.place.tier != session::kFastTier) return false;
  if (block.pinned) return true;
  return block.storage != nullptr ? blocks_.StorageStays(block)
                                  : block.birth_step < step_ - 1;
}

// The plan can never begin. A tensor that merely stands in its way may be gone
// in the next step.
bool Job::AnyStaysElsewhere(const std::vector<Target>& targets) const {
  return std::any_of(targets.begin(), targets.end(), [this](const Target& t) {
    return Stays(*t.block) && t.block->place != t.place;
  });
}

// When a step begins that no plan can drive: what could not move when it was
// pinned is set aside where it is, at whichever end of the arena is nearer.
void Job::SetAsideWhatStays() {
  if (space_.limit().unlimited()) return;
  const int64_t capacity_bytes = blocks_.fast().capacity_bytes();
  for (Block* block : blocks_.all()) {
    if (block->set_aside || !Stays(*block)) continue;
    LeaveStep(block);
    blocks_.MarkPinned(block);
    block->set_aside = true;
    const int64_t begin_bytes = block->place.offset_bytes;
    const int64_t end_bytes = begin_bytes + block->room_bytes();
    block->above_plans = begin_bytes + end_bytes > capacity_bytes;
  }
}

void Job::EndRooms::Cover(const EndRooms& other) {
  below_bytes = std::max(below_bytes, other.below_bytes);
  above_bytes = std::max(above_bytes, other.above_bytes);
}

// The room that no plan uses ends with the innermost block in it; the window's
// own bytes do not count.
void Job::NoteSetAside() {
  const Arena& fast = blocks_.fast();
  for (const auto& [offset_bytes, extent] : fast.used()) {
    const Block* block = extent.block;
    if (!block->set_aside) continue;
    const int64_t end_bytes = offset_bytes + extent.size_bytes;
    totals_.rooms_aside.Cover(
        block->above_plans
            ? EndRooms{.above_bytes = fast.capacity_bytes() - offset_bytes}
            : EndRooms{.below_bytes = end_bytes - space_.window_bytes()});
  }
}

// At the end of a step: the next one with these kernels may need as much.
void Job::NoteRoomAside() {
  NoteSetAside();
  RoomAside& room = rooms_aside_[profile_.signature()];
  room.recent.Cover(totals_.rooms_aside);
  room.rooms.Cover(room.recent);
}

// For a profile: what was not needed since the last one is given back.
int64_t Job::TakeRoomAside() {
  RoomAside& room = rooms_aside_[profile_.signature()];
  room.rooms = std::exchange(room.recent, {});
  return room.rooms.bytes();
}

// False: the plan no longer fits between them.
bool Job::FindPlanBegin(const PlanTable& plan) {
  NoteSetAside();
  EndRooms aside = rooms_aside_[plan.signature].rooms;
  aside.Cover(totals_.rooms_aside);
  plan_begin_bytes_ = space_.window_bytes() + aside.below_bytes;
  plan_above_bytes_ = aside.above_bytes;
  return plan_begin_bytes_ + plan.fast_end_bytes + plan.stream_window_bytes +
             plan_above_bytes_ <=
         blocks_.fast().capacity_bytes();
}

// Forgets a plan that does not fit, so that the step is profiled and planned
// anew; more and more rarely, in case the room never stops growing.
bool Job::ForgetOutgrown(const PlanTable& plan) {
  if (!plans_.ForgetOutgrown(plan)) return false;
  ReportEvent(report(), "plan-outgrown",
              "pinned tensors or small ones take room of the plan");
  return true;
}

}  // namespace stowage::runtime
