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
//    outlived what the plan expects. It leaves fast memory when its room is
//    needed (plan_strangers.h).
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLANS_PLAN_TENSORS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLANS_PLAN_TENSORS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/blocks/placed_blocks.h"
#include "client_sdk/runtime/plans/plan_table.h"
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

// Returns whether the move has arrived when the boundary is reached. One that
// begins there has not.
inline bool IsOver(const session::PlanMove& move, int32_t boundary) {
  return move.start_kernel < boundary && move.deadline_kernel <= boundary;
}

class PlanTensors {
 public:
  // `blocks` must outlive it.
  explicit PlanTensors(const PlacedBlocks* blocks) : blocks_(blocks) {}
  PlanTensors(const PlanTensors&) = delete;
  PlanTensors& operator=(const PlanTensors&) = delete;

  // Forgets all names and gives new ones to the blocks that are alive in step
  // number `step`, which has come to that boundary of the plan, but for those
  // that are set aside. Returns where the plan wants them; its fast room begins
  // at `plan_begin_bytes`.
  std::vector<PlanTarget> Recognize(const PlanTable& plan, int64_t step,
                                    int64_t plan_begin_bytes,
                                    int32_t boundary = 0);

  // Makes the block the plan's tensor of that index from here on.
  void Name(Block* block, int32_t index);
  // Makes the block no tensor of the plan any more.
  void Forget(Block* block);
  // Gives the tensor that `absent` is to `stranger`, which takes its part.
  void Replace(Block* absent, Block* stranger);

  // Returns the block that is this tensor now, or null.
  Block* at(int32_t index) const { return by_index_[index]; }
  // Returns the blocks by index; some are null.
  const std::vector<Block*>& all() const { return by_index_; }

 private:
  // What a plan says of a block that it knows, before any move.
  struct Origin {
    int32_t tensor;
    Place place;
    int64_t size_bytes;
    int32_t birth_kernel;  // in this step; -1: before
  };

  static std::optional<Origin> FindOrigin(const PlanTable& plan, int64_t step,
                                          const Block& block);
  // Returns null if the plan does not have the block among those alive at
  // first.
  static const session::PlanInitial* FindInitial(const PlanTable& plan,
                                                 int64_t step,
                                                 const Block& block);

  const PlacedBlocks* blocks_;
  std::vector<Block*> by_index_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLANS_PLAN_TENSORS_H_
