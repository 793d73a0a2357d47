// Keeps the blocks of a job in the order of their last use, in a list that the
// blocks themselves carry.
//
//   UseOrder order;
//   order.Use(block);            // a kernel uses it: it becomes the last one
//   Block* older = block->used_before;
//   order.Remove(block);         // it dies
//
// All calls take constant time. Not thread-safe.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_USE_ORDER_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_USE_ORDER_H_

#include <utility>

#include "client_sdk/runtime/blocks/block.h"

namespace stowage::runtime {

class UseOrder {
 public:
  // Makes the block the last one, wherever it was.
  void Use(Block* block) {
    if (block == last_) return;
    Remove(block);
    block->used_before = last_;
    if (last_ != nullptr) last_->used_after = block;
    last_ = block;
  }

  // Takes the block out of the order, if it is there.
  void Remove(Block* block) {
    Block* before = std::exchange(block->used_before, nullptr);
    Block* after = std::exchange(block->used_after, nullptr);
    if (before != nullptr) before->used_after = after;
    if (after != nullptr) after->used_before = before;
    if (block == last_) last_ = before;
  }

 private:
  Block* last_ = nullptr;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_USE_ORDER_H_
