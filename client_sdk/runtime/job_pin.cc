// Tensors whose address is known outside. No plan can move them, so before the
// address is told they are set aside: the lowest room of the fast arena becomes
// theirs, next to the window's, and plans begin above it. To the profile they
// are dead from then on, and the room counts as that of unmanaged storages.
//
// What cannot move at that moment (a kernel runs on it, it is library scratch,
// it does not fit) stays where it is, pinned, and part of the profile.
#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "client_sdk/runtime/job.h"
#include "client_sdk/runtime/job_lock.h"

namespace stowage {

void Job::Pin(void* context) {
  if (!Manages(storage_.address(context))) return;
  Lock lock(this);
  Block* block = Find(storage_.address(context));  // it may just have moved
  if (block == nullptr || block->pinned) return;
  if (block->moving) FinishMove(block);
  GiveUpKept(block);  // what is written from here on is not seen
  if (Movable(*block)) SetAside(block);
  block->pinned = true;
  pinned_bytes_ += block->room_bytes();
}

void Job::SetAside(Block* block) {
  const auto fast = [block] { return block->place.tier == session::kFastTier; };
  if (limit_bytes_ == 0 && fast()) return;  // nothing has to move
  FollowPeak(managed_bytes_ + unmanaged_.now(), block->room_bytes());
  const std::optional<Victims> victims = LowestRoomAside(*block);
  if (victims.has_value() &&
      (!fast() || victims->offset_bytes < block->place.offset_bytes)) {
    const std::optional<Place> room = ClearRoom(victims, block);
    if (room.has_value()) FetchTo(*room, block);
  }
  if (!fast()) return;
  LeaveStep(block);
  block->set_aside = true;
  NoteSetAside();
}

// A plan that drives keeps its own room only as long as there is room below it.
std::optional<Victims> Job::LowestRoomAside(const Block& block) {
  FinishHintedMoves(/*wait=*/true);
  const std::optional<Victims> victims = LowestRoom(block);
  const bool below_plan =
      victims.has_value() &&
      victims->offset_bytes + block.room_bytes() <= plan_begin_bytes_;
  if (plan_ == nullptr || below_plan) return victims;
  Surprise("address-taken",
           "a tensor whose address is known outside takes room of the plan",
           profile_.kernel_count());
  return LowestRoom(block);
}

// The room that no plan uses ends with the highest block in it; the window's own
// bytes do not count.
void Job::NoteSetAside() {
  const Arena::Extents& used = arenas_[session::kFastTier]->used();
  const auto highest =
      std::find_if(used.rbegin(), used.rend(), [this](const auto& entry) {
        const Block* block = entry.second.block;
        return block->set_aside || block == &window_block_;
      });
  if (highest == used.rend()) return;
  const int64_t end_bytes = highest->first + highest->second.size_bytes;
  totals_.room_aside_bytes =
      std::max(totals_.room_aside_bytes, end_bytes - window_bytes());
}

// At the end of a step: the next one with these kernels may need as much.
void Job::NoteRoomAside() {
  NoteSetAside();
  RoomAside& room = rooms_aside_[profile_.signature()];
  room.recent_bytes = std::max(room.recent_bytes, totals_.room_aside_bytes);
  room.bytes = std::max(room.bytes, room.recent_bytes);
}

// For a profile: what was not needed since the last one is given back.
int64_t Job::TakeRoomAside() {
  RoomAside& room = rooms_aside_[profile_.signature()];
  room.bytes = std::exchange(room.recent_bytes, 0);
  return room.bytes;
}

// False: the plan no longer fits above it.
bool Job::FindPlanBegin(const PlanTable& plan) {
  NoteSetAside();
  plan_begin_bytes_ =
      window_bytes() +
      std::max(rooms_aside_[plan.signature].bytes, totals_.room_aside_bytes);
  return plan_begin_bytes_ + plan.fast_end_bytes + plan.stream_window_bytes <=
         arenas_[session::kFastTier]->capacity_bytes();
}

// Forgets a plan that does not fit, so that the step is profiled and planned
// anew; more and more rarely, in case the room never stops growing.
bool Job::ForgetOutgrown(uint64_t signature) {
  if (!std::has_single_bit(++rooms_aside_[signature].outgrown)) return false;
  ReportEvent("plan-outgrown",
              "pinned tensors or small ones take room of the plan");
  plans_.erase(signature);
  profiled_.erase(signature);
  return true;
}

}  // namespace stowage
