#include "client_sdk/runtime/evictor.h"

#include <errno.h>
#include <string.h>

#include <stdexcept>
#include <string>

#include "client_sdk/runtime/report_log.h"
#include "client_sdk/session/size_spec.h"

namespace stowage::runtime {

std::optional<Place> Evictor::TakeFastRoom(Block* block) {
  if (auto place = blocks_->TakeRoom(session::kFastTier, block)) return place;
  if (mover_->any_ahead()) {
    mover_->FinishAhead(/*wait=*/true);
    return TakeFastRoom(block);
  }
  const auto movable = [this](const Block& victim) {
    return blocks_->Movable(victim);
  };
  return ClearRoom(ChooseVictims(blocks_->fast(), block->room_bytes(),
                                 blocks_->clock(), movable),
                   block);
}

std::optional<Place> Evictor::ClearRoom(const std::optional<Victims>& victims,
                                        Block* block) {
  if (!victims.has_value()) return std::nullopt;
  for (Block* victim : victims->blocks) Evict(victim);
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

void Evictor::Evict(Block* block) {
  if (blocks_->ReturnToKept(block)) return;
  int error = ENOSPC;
  for (int tier = 1; tier < blocks_->tier_count(); ++tier) {
    const std::optional<Place> room = blocks_->TakeRoom(tier, block);
    if (!room.has_value()) continue;
    error = mover_->MoveNow(block, *room);
    if (error == 0) return;
    ReportEvent(report_, "eviction-failed", strerror(error));
  }
  if (error == ENOSPC && blocks_->GiveUpAllKept()) return Evict(block);
  throw std::runtime_error(
      "stowage: cannot move a tensor of " +
      session::SizeText(block->size_bytes) + " to the slow tier " +
      blocks_->tier(1).info.name + ": " + strerror(error) +
      "; no tensor was lost. Free space there, name another directory with "
      "--slow, or raise the limit of fast memory");
}

bool Evictor::Fetch(Block* block) {
  const std::optional<Place> room = TakeFastRoom(block);
  if (room.has_value()) FetchTo(*room, block);
  return room.has_value();
}

void Evictor::FetchTo(Place room, Block* block) {
  const int error = mover_->MoveNow(block, room);
  if (error == 0) return;
  throw std::runtime_error(
      std::string("stowage: cannot read a tensor back from the slow tier ") +
      blocks_->tier(block->place.tier).info.name + ": " + strerror(error));
}

}  // namespace stowage::runtime
