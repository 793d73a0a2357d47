#include "client_sdk/runtime/space/fast_keeper.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "client_sdk/runtime/blocks/block_name.h"
#include "client_sdk/session/size_spec.h"

namespace stowage::runtime {

void FastKeeper::Add(const std::vector<Block*>& blocks, bool again,
                     int64_t step) {
  std::vector<Block*> added;
  for (Block* block : blocks) {
    const bool pinned_for_good = block->pinned && block->views == 0;
    if (block->kept_fast || pinned_for_good) continue;
    if (again && block->keep_refused) continue;
    blocks_->MarkKeptFast(block);
    added.push_back(block);
  }
  any_ = any_ || !added.empty();
  if (!added.empty() && space_->limit().IsKnown(step) && !Fits()) Refuse(added);
}

bool FastKeeper::Fits() const {
  return space_->limit().unlimited() ||
         space_->LeastLimitBytes() <= space_->limit().bytes();
}

void FastKeeper::Settle(int64_t step,
                        const std::function<void(Block*)>& leave_step) {
  const FastLimit& limit = space_->limit();
  if (!any_ || (limit.is_share() && step == 0)) return;
  const std::vector<Block*> waiting = Waiting();
  if (waiting.empty()) return;
  if (Fits()) {
    for (Block* block : waiting) Pin(block, leave_step);
  } else if (limit.IsKnown(step)) {
    Refuse(waiting);
  }
}

// Returns the oldest first, so that the same job has the same layout.
std::vector<Block*> FastKeeper::Waiting() const {
  std::vector<Block*> waiting;
  for (Block* block : blocks_->all()) {
    if (block->kept_fast && !block->pinned) waiting.push_back(block);
  }
  std::sort(waiting.begin(), waiting.end(),
            [](const Block* a, const Block* b) { return a->id < b->id; });
  return waiting;
}

void FastKeeper::Pin(Block* block,
                     const std::function<void(Block*)>& leave_step) {
  if (block->moving()) mover_->Finish(block);
  if (!blocks_->Movable(*block)) return;
  const bool fast = block->place.tier == session::kFastTier;
  if (!fast || !space_->limit().unlimited()) {
    if (!pinned_->SetAside(block)) return;
    leave_step(block);
  }
  blocks_->MarkPinned(block);
}

void FastKeeper::Release() {
  if (!any_) return;
  for (Block* block : blocks_->all()) {
    const bool moves = block->pinned && block->views == 0;
    if (!block->kept_fast || !moves || blocks_->StorageStays(*block)) continue;
    blocks_->MarkUnpinned(block);
  }
}

void FastKeeper::Refuse(const std::vector<Block*>& blocks) {
  const int64_t enough_bytes = EnoughBytes(space_->LeastLimitBytes());
  int64_t bytes = 0;
  for (Block* block : blocks) {
    bytes += block->size_bytes;
    blocks_->ForgetKeptFast(block);
    block->keep_refused = true;
  }
  const Block& largest = **std::max_element(
      blocks.begin(), blocks.end(), [](const Block* a, const Block* b) {
        return a->size_bytes < b->size_bytes;
      });
  const std::string more = blocks.size() == 1
                               ? ""
                               : " and " + std::to_string(blocks.size() - 1) +
                                     " more, together " +
                                     session::SizeText(bytes) + ",";
  throw std::runtime_error("stowage: keep_fast() cannot keep " +
                           NameOf(largest) + more +
                           " in fast memory: the limit is " +
                           session::SizeText(space_->limit().bytes()) +
                           "; keep less, or raise the limit to " +
                           session::SizeText(enough_bytes) + " or more");
}

}  // namespace stowage::runtime
