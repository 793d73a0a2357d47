#include "client_sdk/runtime/placing/copies_ahead.h"

#include <algorithm>
#include <optional>

#include "client_sdk/runtime/blocks/use_distance.h"

namespace stowage::runtime {
namespace {

// Part of the fast arena that is to be free, or left without a copy.
constexpr int64_t kReadyShare = 4;
// Most that is under way at once.
constexpr size_t kMostCopies = 16;
constexpr int64_t kMostBytes = 4 << 20;
// Kernels between two looks, each of which is linear in the blocks.
constexpr int64_t kLookEvery = 8;

}  // namespace

void CopiesAhead::Follow() {
  if (blocks_->clock() < next_look_ || mover_->any_copying()) return;
  next_look_ = blocks_->clock() + kLookEvery;
  for (Block* block : NextWithoutCopy()) {
    const std::optional<Place> room =
        blocks_->TakeRoom(session::kFastTier + 1, block);
    if (!room.has_value()) return;
    mover_->CopyAhead(block, *room);
  }
}

// Returns those that are next to leave and cannot leave without a copy, the
// first ones first, and no more than may be under way.
std::vector<Block*> CopiesAhead::NextWithoutCopy() const {
  const Arena& fast = blocks_->fast();
  int64_t wanted_bytes = fast.capacity_bytes() / kReadyShare -
                         (fast.capacity_bytes() - fast.used_bytes());
  std::vector<Block*> next;
  if (wanted_bytes <= 0) return next;
  for (const auto& [offset_bytes, extent] : fast.used()) {
    Block* block = extent.block;
    if (block->users == 0 && !blocks_->IsExpected(*block)) {
      next.push_back(block);
    }
  }
  const int64_t now = blocks_->clock();
  std::sort(next.begin(), next.end(), [now](const Block* a, const Block* b) {
    return UseDistance(*a, now) > UseDistance(*b, now);
  });
  std::vector<Block*> chosen;
  int64_t chosen_bytes = 0;
  for (Block* block : next) {
    if (wanted_bytes <= 0 || chosen.size() == kMostCopies) break;
    if (!blocks_->Movable(*block)) continue;
    wanted_bytes -= block->room_bytes();
    if (block->kept.has_value()) continue;
    if (chosen_bytes > 0 && chosen_bytes + block->room_bytes() > kMostBytes) {
      break;
    }
    chosen.push_back(block);
    chosen_bytes += block->room_bytes();
  }
  return chosen;
}

}  // namespace stowage::runtime
