// Tensors that a step's plan does not know, or has elsewhere.
//
//   PlanStrangers strangers(&blocks, &mover, &evictor, &tensors);
//   std::optional<Place> room = strangers.TakeRoom(place, block);
//   if (!strangers.Fetch(plan, first_kernel, block)) ...  // no gap holds it
//
// A step is never quite the profiled one: its batch is another tensor, the
// program keeps a tensor longer or makes one of its own. Such a stranger may
// stand in fast memory wherever the plan leaves a gap, and leaves when the plan
// needs the room. So it costs copies, and the plan goes on.
//
// Invariants:
//  * A stranger never takes room that the plan needs: it gets what is free at
//    that moment, and TakeRoom() takes it back.
//  * A tensor that the plan knows is never moved for another, but for one that
//    the step has not used and that a stranger stands in for.
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLAN_STRANGERS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLAN_STRANGERS_H_

#include <cstdint>
#include <optional>

#include "client_sdk/runtime/block.h"
#include "client_sdk/runtime/evictor.h"
#include "client_sdk/runtime/mover.h"
#include "client_sdk/runtime/placed_blocks.h"
#include "client_sdk/runtime/plan_table.h"
#include "client_sdk/runtime/plan_tensors.h"

namespace stowage::runtime {

class PlanStrangers {
 public:
  // All outlive it.
  PlanStrangers(PlacedBlocks* blocks, Mover* mover, Evictor* evictor,
                PlanTensors* tensors)
      : blocks_(blocks), mover_(mover), evictor_(evictor), tensors_(tensors) {}
  PlanStrangers(const PlanStrangers&) = delete;
  PlanStrangers& operator=(const PlanStrangers&) = delete;

  // Takes room for the block where the plan names it. In the fast tier it is
  // that place or none: strangers that stand there are evicted. Returns nullopt,
  // and evicts nothing, if a tensor of the plan or one that cannot move is
  // there. In a slow tier, where room is not scarce, the place is a wish, and
  // any other in the tier will do. Throws as Evictor::Evict() does.
  std::optional<Place> TakeRoom(Place place, Block* block);

  // Brings an operand of the running kernel into fast memory that the plan does
  // not have there. It takes the part of a tensor that it can stand in for, or
  // a gap that the plan leaves just now. Returns false if there is neither.
  // `first_kernel` is what the clock said at the step's first kernel. Throws as
  // Evictor::Evict() does.
  bool Fetch(const PlanTable& plan, int64_t first_kernel, Block* block);

 private:
  // Null if there is none.
  Block* FindAbsentTwin(const PlanTable& plan, int64_t first_kernel,
                        const Block& stranger) const;
  bool ClearFastRoom(Place place, const Block& block);
  bool FetchToGap(Block* block);
  bool IsStranger(const Block& block) const {
    return block.tensor < 0 && blocks_->Movable(block);
  }

  PlacedBlocks* blocks_;
  Mover* mover_;
  Evictor* evictor_;
  PlanTensors* tensors_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLAN_STRANGERS_H_
