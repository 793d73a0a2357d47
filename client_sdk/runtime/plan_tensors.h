// Which block is which tensor of the plan that a step goes by.
//
//   PlanTensors tensors(&blocks);
//   std::vector<PlanTarget> targets =
//       tensors.Recognize(plan, step, plan_begin_bytes);
//   tensors.Name(block, planned->tensor);  // a kernel has allocated it
//   Block* block = tensors.at(move.tensor);
//   tensors.Forget(block);                 // it dies
//
// A plan numbers its tensors. Those that are alive when the step begins are
// recognised by the block's identity or, where each step makes its own, by how
// the step before gave birth to them (PlanTable::initial_by_tag). Those that
// are born in the step get their number from the allocation.
//
// Invariants:
//  * If at(i) is a block, it lives and its Block::tensor is i.
//  * A tensor without a block is null: not yet born, dead, or gone for good,
//    such as what the first step left behind. Whoever follows the plan goes
//    without it.
//  * A block may have the number of a tensor that is another block by now: it
//    outlived what the plan expects. The plan knows it, so it is no stranger
//    (see plan_strangers.h), but nothing moves it.
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLAN_TENSORS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLAN_TENSORS_H_

#include <cstdint>
#include <vector>

#include "client_sdk/runtime/block.h"
#include "client_sdk/runtime/placed_blocks.h"
#include "client_sdk/runtime/plan_table.h"
#include "client_sdk/session/session.h"

namespace stowage::runtime {

// Where a plan wants a block when the step begins.
struct PlanTarget {
  Block* block;
  Place place;
};

// Returns the place that a plan names. Its offsets in the fast tier count from
// where its room begins, which pinned tensors decide (pinned_room.h).
inline Place PlannedPlace(int tier, int64_t offset_bytes,
                          int64_t plan_begin_bytes) {
  const bool fast = tier == session::kFastTier;
  return {tier, offset_bytes + (fast ? plan_begin_bytes : 0)};
}

class PlanTensors {
 public:
  // `blocks` outlives it.
  explicit PlanTensors(const PlacedBlocks* blocks) : blocks_(blocks) {}
  PlanTensors(const PlanTensors&) = delete;
  PlanTensors& operator=(const PlanTensors&) = delete;

  // Forgets all names and gives new ones to the blocks that are alive when step
  // number `step` begins, but for those that are set aside. Returns where the
  // plan wants them; its fast room begins at `plan_begin_bytes`.
  std::vector<PlanTarget> Recognize(const PlanTable& plan, int64_t step,
                                    int64_t plan_begin_bytes);

  // The block is the plan's tensor of that index from here on.
  void Name(Block* block, int32_t index);
  // The block is no tensor of the plan any more.
  void Forget(Block* block);
  // Gives the tensor that `absent` is to `stranger`, which takes its part.
  void Replace(Block* absent, Block* stranger);

  // Null if no block is this tensor now.
  Block* at(int32_t index) const { return by_index_[index]; }
  // By index; some are null.
  const std::vector<Block*>& all() const { return by_index_; }

 private:
  // Null if the plan does not have the block among those alive at first.
  const session::PlanInitial* FindInitial(const PlanTable& plan, int64_t step,
                                          const Block& block) const;

  const PlacedBlocks* blocks_;
  std::vector<Block*> by_index_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLAN_TENSORS_H_
