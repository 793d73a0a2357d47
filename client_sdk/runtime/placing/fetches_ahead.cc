#include "client_sdk/runtime/placing/fetches_ahead.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace stowage::runtime {
namespace {

// Uses belong to one run if their blocks' last uses are so many kernels apart.
constexpr int64_t kNearKernels = 64;
// An update has several runs: parameters, gradients and the optimizer's state.
constexpr size_t kMostRuns = 8;

// Part of the fast arena that one run may expect at a time.
constexpr int64_t kExpectedShare = 32;
// Neighbours that are looked at. Most are in fast memory already.
constexpr int kMostNeighbours = 64;
// Kernels for which what is expected stays in fast memory.
constexpr int64_t kPatienceKernels = 64;

bool Comes(const Block& block) {
  return block.moving() && block.move->to.tier == session::kFastTier;
}

bool IsNear(int64_t last_use, int64_t other_use) {
  return std::abs(last_use - other_use) <= kNearKernels;
}

}  // namespace

void FetchesAhead::NoteUses(const std::vector<KernelOperand>& operands) {
  wanted_.clear();
  for (const KernelOperand& operand : operands) {
    Block& block = *operand.block;
    const bool in_fast = block.place.tier == session::kFastTier;
    if (in_fast && !blocks_->IsExpected(block)) continue;
    block.expected_until = 0;
    if (IsNear(block.last_use, blocks_->clock())) continue;
    const Run* run = Follow(block);
    if (run->has_direction) Expect(block, run->to_later);
  }
}

// Returns the run that the use of the block continues, or a new one.
FetchesAhead::Run* FetchesAhead::Follow(const Block& block) {
  const auto distance = [&](const Run& run) {
    return std::abs(run.last_use - block.last_use);
  };
  auto run = std::min_element(
      runs_.begin(), runs_.end(),
      [&](const Run& a, const Run& b) { return distance(a) < distance(b); });
  if (run == runs_.end() || !IsNear(run->last_use, block.last_use)) {
    if (runs_.size() == kMostRuns) {
      run = std::min_element(
          runs_.begin(), runs_.end(),
          [](const Run& a, const Run& b) { return a.noted < b.noted; });
      *run = {};
    } else {
      run = runs_.insert(runs_.end(), Run());
    }
  } else if (run->last_use != block.last_use) {
    run->has_direction = true;
    run->to_later = block.last_use > run->last_use;
  }
  run->last_use = block.last_use;
  run->noted = blocks_->clock();
  return &*run;
}

// Many requests at once cost far less than one after another. So nothing is
// fetched as long as the first half of what is expected is there.
void FetchesAhead::Expect(const Block& block, bool to_later) {
  const auto next = [=](const Block& of) {
    return to_later ? of.used_after : of.used_before;
  };
  const int64_t most_bytes = blocks_->fast().capacity_bytes() / kExpectedShare;
  int64_t bytes = 0, ready_bytes = 0;
  std::vector<Block*> absent;
  int64_t last_use = block.last_use;
  Block* neighbour = next(block);
  for (int i = 0; i < kMostNeighbours && neighbour != nullptr; ++i) {
    if (!IsNear(neighbour->last_use, last_use)) break;
    last_use = neighbour->last_use;
    const bool comes = Comes(*neighbour);
    if (comes || blocks_->CanLeave(*neighbour)) {
      bytes += neighbour->room_bytes();
      if (bytes > most_bytes) break;
      neighbour->expected_until = blocks_->clock() + kPatienceKernels;
      if (!comes && neighbour->place.tier != session::kFastTier) {
        absent.push_back(neighbour);
      } else if (absent.empty()) {
        ready_bytes = bytes;
      }
    }
    neighbour = next(*neighbour);
  }
  if (ready_bytes > most_bytes / 2) return;
  wanted_.insert(wanted_.end(), absent.begin(), absent.end());
}

void FetchesAhead::Begin() {
  for (Block* block : wanted_) {
    if (block->place.tier == session::kFastTier) continue;
    if (!blocks_->Movable(*block)) continue;
    const std::optional<Place> room = evictor_->TakeRoomAtOnce(block);
    if (!room.has_value()) return;
    mover_->FetchAhead(block, *room);
  }
}

}  // namespace stowage::runtime
