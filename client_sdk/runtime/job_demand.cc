// Demand mode: allocate in the bounded fast arena, evict what was used longest
// ago to make room, fetch operands at use.

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

#include "client_sdk/runtime/job.h"
#include "client_sdk/runtime/victims.h"

namespace stowage::runtime {
namespace {

// Share of it that a kernel that streams begins to look for as its window.
constexpr double kExtensionShare = 0.9;
// Smaller tensors than this part of the fast arena find room anywhere.
constexpr int64_t kCompactShare = 8;

}  // namespace

void Job::PlaceOnDemand(Block* block) {
  std::optional<Place> room = evictor_.TakeFastRoom(block);
  if (!room.has_value()) room = blocks_.TakeSlowRoom(block);
  if (!room.has_value()) {
    throw std::runtime_error(
        "stowage: no tier has room for a tensor of " + MiB(block->size_bytes) +
        "; give the slow tier more space or raise the limit of fast memory");
  }
  block->place = *room;
}

// Fetches what fits; what does not is used where it is: in place in an
// addressable tier, through the window in a file.
void Job::FetchOperands(RunningKernel* kernel,
                        const std::vector<KernelOperand>& operands) {
  const std::vector<Block*> wanted = OperandsThatFit(operands);
  bool scattered = false;
  for (Block* block : wanted) {
    const bool fast =
        block->place.tier == session::kFastTier || evictor_.Fetch(block);
    scattered = scattered || !fast;
  }
  bool streams = false;
  for (const KernelOperand& operand : operands) {
    const MappedTier& tier = client_->tiers()[operand.block->place.tier];
    streams = streams || !tier.addressable();
  }
  const auto in_one_piece = [&] {
    return HasRoomInOnePiece(*kernel, wanted, streams);
  };
  if (mover_.any_ahead() && !in_one_piece()) {
    mover_.FinishAhead(/*wait=*/true);
  }
  if (scattered || !in_one_piece()) Compact(wanted);
  for (const KernelOperand& operand : operands) {
    if (operand.block->place.tier != session::kFastTier) {
      NoteSlowUse(kernel, operand);
    }
  }
  if (streams) ExtendWindow(kernel);
}

// Those operands that can move and fit the fast arena together, small ones
// before large ones; the largest first, while there is the most room.
std::vector<Block*> Job::OperandsThatFit(
    const std::vector<KernelOperand>& operands) const {
  std::vector<Block*> blocks;
  int64_t free_bytes = space_.tensor_bytes();
  for (const KernelOperand& operand : operands) {
    Block* block = operand.block;
    const bool only_user = block->users == 1;  // this kernel
    if (only_user && blocks_.CanMove(*block)) {
      blocks.push_back(block);
    } else if (block->place.tier == session::kFastTier) {
      free_bytes -= block->room_bytes();
    }
  }
  const auto absent = [](const Block* block) {
    return block->place.tier != session::kFastTier;
  };
  std::sort(blocks.begin(), blocks.end(), [&](Block* a, Block* b) {
    return std::tuple(absent(a), a->size_bytes, a->id) <
           std::tuple(absent(b), b->size_bytes, b->id);
  });
  auto beyond = blocks.begin();
  for (; beyond != blocks.end(); ++beyond) {
    if ((*beyond)->room_bytes() > free_bytes) break;
    free_bytes -= (*beyond)->room_bytes();
  }
  blocks.erase(beyond, blocks.end());
  std::reverse(blocks.begin(), blocks.end());
  return blocks;
}

// Whether what the kernel is going to need beside its operands can be had in
// one piece: the largest tensor that such a kernel was seen to allocate, or a
// window to stream through. True as well where compacting would not pay.
bool Job::HasRoomInOnePiece(const RunningKernel& kernel,
                            const std::vector<Block*>& operands,
                            bool streams) const {
  const Arena& fast = blocks_.fast();
  const int64_t arena_bytes = space_.tensor_bytes();
  int64_t operand_bytes = 0;
  for (const Block* block : operands) operand_bytes += block->room_bytes();
  if (operand_bytes > arena_bytes / kCompactShare) return true;
  int64_t room_bytes = LargestBirth(kernel);
  if (streams) {
    room_bytes = std::max<int64_t>(
        room_bytes, kExtensionShare * (arena_bytes - operand_bytes));
  }
  room_bytes = std::min(room_bytes, arena_bytes - operand_bytes);
  if (room_bytes < arena_bytes / kCompactShare) return true;
  return LowestVictims(
             fast, room_bytes,
             [this](const Block& victim) { return blocks_.Movable(victim); })
      .has_value();
}

void Job::NoteBirth(const RunningKernel& kernel, const Block& block) {
  const Arena& fast = blocks_.fast();
  if (block.room_bytes() < fast.capacity_bytes() / kCompactShare) return;
  int64_t& largest_bytes = largest_births_[kernel.shape];
  largest_bytes = std::max(largest_bytes, block.room_bytes());
}

// Of those that it was seen to allocate; 0: no large one.
int64_t Job::LargestBirth(const RunningKernel& kernel) const {
  const auto birth = largest_births_.find(kernel.shape);
  return birth != largest_births_.end() ? birth->second : 0;
}

// Lays a kernel's operands out side by side, so that all the rest of the fast
// arena is in one piece.
void Job::Compact(const std::vector<Block*>& operands) {
  for (Block* block : operands) {
    if (block->place.tier == session::kFastTier) evictor_.Evict(block);
  }
  for (Block* block : operands) {
    const std::optional<Place> room =
        evictor_.ClearRoom(evictor_.LowestRoom(*block), block);
    if (room.has_value()) evictor_.FetchTo(*room, block);
  }
}

// Gives a kernel that streams all the fast memory that it does not need
// otherwise; the window that is set aside would do, but slowly. Under a plan it
// is the room that the plan keeps free for this.
void Job::ExtendWindow(RunningKernel* kernel) {
  const bool extended =
      plan_ != nullptr
          ? space_.ExtendWindowTo(plan_->stream_window_bytes, plan_above_bytes_)
          : space_.ExtendWindow(LargestBirth(*kernel));
  kernel->extends_window = kernel->extends_window || extended;
}

void Job::NoteSlowUse(RunningKernel* kernel, const KernelOperand& operand) {
  const int tier = operand.block->place.tier;
  if (operand.flags & session::kOperandRead) {
    kernel->slow_read_bytes[tier] += operand.block->size_bytes;
  }
  if (operand.flags & session::kOperandWrite) {
    kernel->slow_write_bytes[tier] += operand.block->size_bytes;
  }
  ++kernel->slow_operands;
}

}  // namespace stowage::runtime
