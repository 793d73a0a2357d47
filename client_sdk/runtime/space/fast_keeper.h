// Keeps tensors in fast memory that the user wants there.
//
//   FastKeeper keeper(&blocks, &mover, &pinned, &space);
//   keeper.Add({block}, /*again=*/false, step);     // throws: no room for it
//   keeper.Settle(step, leave_step);                // as steps begin
//   if (space.IsOrdered()) keeper.Release();
//   space.FollowOrder();
//
// A plan would have to be made anew for each wish. So what is kept is pinned
// and set aside, as tensors are whose address is known outside: plans leave its
// room alone, and it counts against the limit (pinned_room.h). Unlike those it
// may still move: when another limit is ordered it is laid out anew, at the next
// beginning of a step.
//
// A block waits for that beginning while a plan drives, while it is in use or an
// array knows its address, and as long as the limit is not known: a share says
// little before the first step has ended, and may rise until its peak stands.
//
// Invariants:
//  * PlacedBlocks::pinned_bytes() covers all that is kept, or waits.
//  * What does not fit a limit that is known waits no longer: it is forgotten,
//    and the user is told.
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_SPACE_FAST_KEEPER_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_SPACE_FAST_KEEPER_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/blocks/placed_blocks.h"
#include "client_sdk/runtime/moves/mover.h"
#include "client_sdk/runtime/space/fast_space.h"
#include "client_sdk/runtime/space/pinned_room.h"

namespace stowage::runtime {

class FastKeeper {
 public:
  // All arguments must outlive it.
  FastKeeper(PlacedBlocks* blocks, Mover* mover, PinnedRoom* pinned,
             const FastSpace* space)
      : blocks_(blocks), mover_(mover), pinned_(pinned), space_(space) {}
  FastKeeper(const FastKeeper&) = delete;
  FastKeeper& operator=(const FastKeeper&) = delete;

  // Has the blocks stay from the next Settle() on. Throws std::runtime_error,
  // and keeps none of them, if the limit of the step is known and they do not
  // fit. What was refused before is refused anew, or, if it is asked for
  // `again`, left out.
  void Add(const std::vector<Block*>& blocks, bool again, int64_t step);

  // Brings blocks that wait to where they stay, and calls `leave_step` with
  // each. Throws std::runtime_error if the limit has turned out to have no room
  // for them, and as PinnedRoom::SetAside() does.
  void Settle(int64_t step, const std::function<void(Block*)>& leave_step);

  // Lets all that is kept move, until it is settled again.
  void Release();

 private:
  std::vector<Block*> Waiting() const;
  bool Fits() const;
  void Pin(Block* block, const std::function<void(Block*)>& leave_step);
  [[noreturn]] void Refuse(const std::vector<Block*>& blocks);

  PlacedBlocks* blocks_;
  Mover* mover_;
  PinnedRoom* pinned_;
  const FastSpace* space_;
  bool any_ = false;  // block was ever added
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_SPACE_FAST_KEEPER_H_
