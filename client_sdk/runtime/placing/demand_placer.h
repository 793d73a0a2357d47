// Demand mode: places blocks and fetches operands without a plan.
//
//   DemandPlacer demand(&blocks, &mover, &evictor);
//   demand.PlaceNew(block.get());                        // an allocation
//   demand.FetchOperands(kernel, operands, arena_bytes);
//
// A new block gets room in the fast arena, for which the blocks leave that will
// probably not be used for longest (victims.h); if that makes no room, it gets
// room in a slow tier.
// Operands that are not in the fast tier are fetched before their kernel
// begins, as many as fit together; the kernel uses the others where they are.
// Those that it jumps about in come first, since they would stream badly.
//
// A running kernel uses its operands, so moving them can no longer make room
// for its allocations. So demand mode remembers what kernels were seen to
// allocate, by the kernel's shape; the first time it takes the kernel's word. If
// the largest such block, or the window of a kernel that streams, would find no
// room in one piece, the small operands are laid out side by side before the
// kernel begins. If the operands leave no room for all that it allocates, some of
// that streams, through half of it at least: else the largest operands stay
// behind until two thirds of the arena are left as the window. They also stay
// behind where such a kernel worked on its streaming result in place, and so read
// far more than it has, unless it read even more when they stayed behind.
//
// Invariant: after FetchOperands() each operand is where the kernel may use it
// until EndKernel; only blocks that no kernel uses are moved.
//
// Demand mode stands behind every other mode: it assumes nothing about where a
// plan or a hint has left blocks. The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLACING_DEMAND_PLACER_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLACING_DEMAND_PLACER_H_

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/blocks/placed_blocks.h"
#include "client_sdk/runtime/moves/mover.h"
#include "client_sdk/runtime/space/evictor.h"
#include "client_sdk/runtime/steps/running_kernel.h"

namespace stowage::runtime {

class DemandPlacer {
 public:
  // All arguments must outlive it.
  DemandPlacer(PlacedBlocks* blocks, Mover* mover, Evictor* evictor)
      : blocks_(blocks), mover_(mover), evictor_(evictor) {}

  // Gives a new block its place. Throws std::runtime_error if no tier has room.
  void PlaceNew(Block* block);

  // Brings into the fast tier those operands that fit its `arena_bytes`
  // together. The kernel is among the users of each. Returns whether the kernel
  // is going to stream some of them, or of what it allocates. May throw, as
  // Evictor::Evict().
  bool FetchOperands(const RunningKernel& kernel,
                     const std::vector<KernelOperand>& operands,
                     int64_t arena_bytes);

  // Notes that the kernel allocates the block, which `born_bytes` counts.
  void NoteBirth(const RunningKernel& kernel, const Block& block);
  // Notes that the kernel, which has run, read so many bytes through the window.
  void NoteStreaming(const RunningKernel& kernel, int64_t read_bytes);
  // Returns the room that the arena will have for what such a kernel was seen to
  // allocate, beside its operands. If that does not fit, the window comes first.
  int64_t RoomForBirths(const RunningKernel& kernel, int64_t arena_bytes) const;

 private:
  // The room of the largest block that a kernel allocates, and of all; and what
  // it read through the window when some of these streamed, and when operands did.
  struct Births {
    bool StreamBadly() const;

    int64_t largest_bytes = 0;
    int64_t all_bytes = 0;
    std::optional<int64_t> births_read_bytes;
    std::optional<int64_t> operands_read_bytes;
  };

  Births BirthsOf(const RunningKernel& kernel) const;
  bool Absent(const Block& block) const {
    return block.place.tier != session::kFastTier;
  }
  // Returns whether the kernel is the operand's only user, and it may move.
  bool CanMove(const Block& operand) const {
    return operand.users == 1 && blocks_->CanMove(operand);
  }
  std::vector<KernelOperand> Movable(std::vector<KernelOperand> operands) const;
  std::vector<Block*> OperandsThatFit(
      const std::vector<KernelOperand>& operands, int64_t arena_bytes) const;
  bool Streams(const Births& births, const std::vector<KernelOperand>& operands,
               int64_t free_bytes) const;
  std::vector<Block*> OperandsBesideBirths(
      const RunningKernel& kernel, const std::vector<KernelOperand>& operands,
      int64_t arena_bytes);
  void EvictAllBut(const std::vector<Block*>& wanted,
                   const std::vector<KernelOperand>& operands);
  static int64_t PieceFor(const Births& births,
                          const std::vector<Block*>& operands, bool streams,
                          int64_t arena_bytes);
  bool HasPiece(int64_t bytes, const std::vector<Block*>& leaving) const;
  static std::vector<Block*> SmallOf(const std::vector<Block*>& operands,
                                     int64_t arena_bytes);
  void Compact(const std::vector<Block*>& operands);

  PlacedBlocks* blocks_;
  Mover* mover_;
  Evictor* evictor_;
  std::unordered_map<uint64_t, Births> births_;  // by kernel shape
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLACING_DEMAND_PLACER_H_
