// Copies in slower tiers that a plan keeps: the place that a tensor was fetched
// from stays the tensor's, and when the plan drops it from the fast tier it
// returns there without being copied.
//
// While Block::kept is set, a plan drives, the block is in the fast tier, and
// the place holds its bytes. Whatever could end that gives the room back: a
// kernel that writes the block (NoteWrite), any other move (SetPlace), an
// address that is known outside (Pin), death (Die), an eviction that finds no
// room else (Evict), the end of the plan or of the step (Surprise, EndStep). A
// drop that finds no copy makes one.
#include <utility>

#include "client_sdk/runtime/job.h"

namespace stowage::runtime {

// The block is movable. False: there is no copy, and it is where it was.
bool Job::ReturnToKept(Block* block) {
  if (!block->kept.has_value()) return false;
  SetPlace(block, *std::exchange(block->kept, std::nullopt));
  return true;
}

// A move under way that was to keep its source does so no more, either.
void Job::GiveUpKept(Block* block) {
  block->keeps_source = false;
  if (!block->kept.has_value()) return;
  arenas_[block->kept->tier]->Free(block->kept->offset_bytes);
  block->kept.reset();
}

// Whether that gave any room back.
bool Job::GiveUpAllKept() {
  bool any = false;
  for (Block* block : blocks_) {
    any = any || block->kept.has_value();
    GiveUpKept(block);
  }
  return any;
}

void Job::NoteWrite(const KernelOperand& operand) {
  if (operand.flags & session::kOperandWrite) GiveUpKept(operand.block);
}

}  // namespace stowage::runtime
