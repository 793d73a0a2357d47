// Fetches, in demand mode, what kernels will probably use next: while they run,
// blocks come back in the order in which they were used before.
//
//   FetchesAhead fetches(&blocks, &mover, &evictor);
//   fetches.NoteUses(operands);  // before a kernel is among their users
//   fetches.Begin();             // once its operands are in place
//
// No step has to repeat for this. A backward pass uses what the forward pass
// saved in reverse order, and an optimizer goes through its state in the order
// of the last update. So a use of an evicted block is compared with other recent
// ones: blocks whose last uses lie near each other make a run, which goes
// towards earlier or towards later uses. The neighbours of the block in that
// direction are expected next. Those that are in slow memory are fetched, and
// the others stay, both for a while only.
//
// Advice alone: what is fetched for nothing keeps its copy in slow memory, and
// leaves again without a transfer. What comes takes room that is free or that a
// block leaves without one, so that nothing waits for it.
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLACING_FETCHES_AHEAD_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLACING_FETCHES_AHEAD_H_

#include <cstdint>
#include <vector>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/blocks/placed_blocks.h"
#include "client_sdk/runtime/moves/mover.h"
#include "client_sdk/runtime/space/evictor.h"

namespace stowage::runtime {

class FetchesAhead {
 public:
  // All arguments must outlive it.
  FetchesAhead(PlacedBlocks* blocks, Mover* mover, Evictor* evictor)
      : blocks_(blocks), mover_(mover), evictor_(evictor) {}
  FetchesAhead(const FetchesAhead&) = delete;
  FetchesAhead& operator=(const FetchesAhead&) = delete;

  // Finds what is expected after a kernel's operands. Their last use is still
  // the one before.
  void NoteUses(const std::vector<KernelOperand>& operands);
  // Begins to fetch what the last kernel that was noted made expected. Waits for
  // nothing. No block has died since.
  void Begin();

 private:
  // Uses of blocks whose uses before lie near each other.
  struct Run {
    int64_t last_use = 0;  // before, of the block that was used last
    int64_t noted = 0;     // when that was
    bool has_direction = false;
    bool to_later = false;
  };

  Run* Follow(const Block& block);
  void Expect(const Block& block, bool to_later);

  PlacedBlocks* blocks_;
  Mover* mover_;
  Evictor* evictor_;
  std::vector<Run> runs_;
  std::vector<Block*> wanted_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLACING_FETCHES_AHEAD_H_
