// Copies ahead, in demand mode, what would be evicted next: while kernels run,
// the blocks that will not be used for longest (use_distance.h) get a copy in slow
// memory, to which they return when their room is needed. Such an eviction waits
// for nothing.
//
//   CopiesAhead copies(&blocks, &mover);
//   copies.Follow();  // before a kernel runs, with its operands in place
//
// A copy is a kept place (placed_blocks.h) that is not filled yet: whatever
// gives up the one gives up the other, so that a block that is written, moved
// or pinned never returns to bytes that are no longer its own.
//
// Invariant: few copies are under way, so that a write to one of their blocks,
// or an eviction that needs the disk, waits for little.
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLACING_COPIES_AHEAD_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLACING_COPIES_AHEAD_H_

#include <cstdint>
#include <vector>

#include "client_sdk/runtime/blocks/arena.h"
#include "client_sdk/runtime/blocks/placed_blocks.h"
#include "client_sdk/runtime/moves/mover.h"

namespace stowage::runtime {

class CopiesAhead {
 public:
  // Both arguments must outlive it.
  CopiesAhead(PlacedBlocks* blocks, Mover* mover)
      : blocks_(blocks), mover_(mover) {}
  CopiesAhead(const CopiesAhead&) = delete;
  CopiesAhead& operator=(const CopiesAhead&) = delete;

  // Begins copies if none is under way. Waits for nothing.
  void Follow();

 private:
  std::vector<Block*> NextWithoutCopy() const;

  PlacedBlocks* blocks_;
  Mover* mover_;
  int64_t next_look_ = 0;  // the kernel before which it looks for more
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLACING_COPIES_AHEAD_H_
