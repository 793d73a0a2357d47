#include "client_sdk/runtime/space/evictor.h"

#include <errno.h>

#include <stdexcept>
#include <string>

#include "client_sdk/runtime/blocks/block_name.h"
#include "client_sdk/runtime/connection/report_log.h"
#include "client_sdk/session/error_text.h"

namespace stowage::runtime {
namespace {

// What was used so recently will probably be used again before what is only
// expected.
constexpr int64_t kRestKernels = 128;

}  // namespace

std::optional<Place> Evictor::TakeFastRoom(Block* block) {
  if (auto place = blocks_->TakeRoom(session::kFastTier, block)) return place;
  if (mover_->any_leaving()) {
    mover_->FinishAhead(/*wait=*/true);
    return TakeFastRoom(block);
  }
  const auto leaves = [this](const Block& victim) {
    return blocks_->CanLeave(victim);
  };
  const auto leaves_gladly = [&](const Block& victim) {
    return !blocks_->IsExpected(victim) && leaves(victim);
  };
  std::optional<Victims> victims = Choose(*block, leaves_gladly);
  if (!victims.has_value()) victims = Choose(*block, leaves);
  const std::optional<Place> room = ClearRoom(victims, block);
  if (room.has_value() || !mover_->any_ahead()) return room;
  mover_->FinishAhead(/*wait=*/true);  // they may be in the way
  return TakeFastRoom(block);
}

std::optional<Place> Evictor::TakeRoomAtOnce(Block* block) {
  if (auto place = blocks_->TakeRoom(session::kFastTier, block)) return place;
  const auto leaves_at_once = [this](const Block& victim) {
    return victim.kept.has_value() &&
           blocks_->clock() - victim.last_use > kRestKernels &&
           !blocks_->IsExpected(victim) && blocks_->Movable(victim);
  };
  return ClearRoom(Choose(*block, leaves_at_once), block);
}

bool Evictor::TakeFastRoomAt(Place place, Block* block) {
  return ClearRoomAt(place, *block) && blocks_->TakeRoomAt(place, block);
}

bool Evictor::ClearRoomAt(Place place, const Block& block) {
  const Arena& arena = blocks_->fast();
  const int64_t end_bytes = place.offset_bytes + block.room_bytes();
  if (end_bytes > arena.capacity_bytes()) return false;
  std::vector<Block*> others =
      arena.BlocksIn(place.offset_bytes, block.room_bytes());
  std::erase(others, &block);
  const auto stays = [this](Block* other) { return !blocks_->Movable(*other); };
  if (std::any_of(others.begin(), others.end(), stays)) return false;
  for (Block* other : others) Evict(other);
  return true;
}

std::optional<Victims> Evictor::Choose(
    const Block& block, const std::function<bool(const Block&)>& leaves) const {
  return ChooseVictims(blocks_->fast(), block.room_bytes(), blocks_->clock(),
                       leaves);
}

std::optional<Place> Evictor::ClearRoom(const std::optional<Victims>& victims,
                                        Block* block) {
  if (!victims.has_value()) return std::nullopt;
  EvictAll(victims->blocks);
  const Place room{session::kFastTier, victims->offset_bytes};
  // A victim that died on another thread could not be moved, and may still be
  // there.
  return blocks_->TakeRoomNear(room, block);
}

std::optional<Victims> Evictor::LowestRoom(const Block& block) const {
  return LowestVictims(blocks_->fast(), block.room_bytes(),
                       [&](const Block& victim) {
                         return &victim != &block && blocks_->Movable(victim);
                       });
}

// Copies to a file are under way together. What fails there, Evict() tries
// again, or explains.
void Evictor::EvictAll(const std::vector<Block*>& blocks) {
  std::vector<Block*> leaving;
  for (Block* block : blocks) {
    if (block->moving()) mover_->Finish(block);  // it is copied ahead
    if (!blocks_->ReturnToKept(block) && BeginEviction(block)) {
      leaving.push_back(block);
    }
  }
  for (Block* block : leaving) mover_->Finish(block);
  for (Block* block : blocks) {
    if (block->place.tier == session::kFastTier) Evict(block);
  }
}

bool Evictor::BeginEviction(Block* block) {
  const std::optional<Place> room = blocks_->TakeSlowRoom(block);
  if (!room.has_value()) return false;
  if (!blocks_->tier(room->tier).addressable()) {
    return mover_->BeginOwn(block, *room, /*keeps_source=*/false);
  }
  blocks_->GiveBack(*room);
  return false;
}

void Evictor::Evict(Block* block) {
  if (blocks_->ReturnToKept(block)) return;
  int error = ENOSPC;
  for (int tier = 1; tier < blocks_->tier_count(); ++tier) {
    const std::optional<Place> room = blocks_->TakeRoom(tier, block);
    if (!room.has_value()) continue;
    error = mover_->MoveNow(block, *room);
    if (error == 0) return;
    ReportEvent(report_, "eviction-failed",
                NameOf(*block) + ": " + session::ErrorText(error));
  }
  if (error == ENOSPC && blocks_->GiveUpAllKept()) return Evict(block);
  throw std::runtime_error(
      "stowage: cannot move " + NameOf(*block) + " to the slow tier " +
      blocks_->tier(1).info.name + ": " + session::ErrorText(error) +
      "; no tensor was lost. " +
      (error == ENOSPC ? "Free space there" : "Look after the disk") +
      ", name another directory with --slow, or raise the limit of fast "
      "memory");
}

void Evictor::FetchTo(Place room, Block* block) {
  // Within the fast tier there is no copy to return to.
  const bool leaves_slow = block->place.tier != session::kFastTier;
  const int error = mover_->MoveNow(block, room, /*keeps_source=*/leaves_slow);
  if (error != 0) FailToRead(*block, error);
}

bool Evictor::MoveWhere(Block* block,
                        const std::function<bool(Place)>& accepts) {
  if (block->place.tier != session::kFastTier) {
    if (!BeginFetch(block)) return false;
    FinishFetch(block);
    if (accepts(block->place)) return true;
  }
  std::vector<Place> refused;
  std::optional<Place> room = blocks_->TakeSlowRoom(block);
  while (room.has_value() && !accepts(*room)) {
    refused.push_back(*room);
    room = blocks_->TakeSlowRoom(block);
  }
  for (Place place : refused) blocks_->GiveBack(place);
  return room.has_value() && mover_->MoveNow(block, *room) == 0;
}

bool Evictor::BeginFetch(Block* block) {
  const std::optional<Place> room = TakeFastRoom(block);
  if (!room.has_value()) return false;
  if (blocks_->tier(block->place.tier).addressable()) {
    FetchTo(*room, block);
  } else if (!mover_->BeginOwn(block, *room, /*keeps_source=*/true)) {
    FailToRead(*block, EIO);
  }
  return true;
}

void Evictor::FinishFetch(Block* block) {
  if (!block->moving()) return;
  const int error = mover_->Arrive(block);
  if (error != 0) FailToRead(*block, error);
}

void Evictor::FailToRead(const Block& block, int error) const {
  throw std::runtime_error("stowage: cannot read " + NameOf(block) +
                           " back from the slow tier " +
                           blocks_->tier(block.place.tier).info.name + ": " +
                           session::ErrorText(error));
}

}  // namespace stowage::runtime
