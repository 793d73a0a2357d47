// Tensors that a step's plan does not know, or has elsewhere.
//
//   PlanStrangers strangers(&blocks, &mover, &evictor, &tensors);
//   std::optional<Place> room = strangers.TakeRoom(place, block);
//   if (!strangers.Fetch(plan, kernel, block)) {
//     driver.Leave();  // no hole holds the block
//   }
//
// A step is never quite the profiled one: its batch is another tensor, the
// program keeps a tensor longer or makes one of its own. Such a stranger may
// stand in fast memory wherever the plan leaves a hole, and leaves when the
// plan needs the room. So it costs copies, and the plan goes on. A tensor of
// the plan that stands in room which the plan gives to another one has outlived
// what the plan expects, and leaves as well.
//
// Invariants:
//  * A stranger never keeps room that the plan needs: it gets what is free at
//    that moment and not the running kernel's, and TakeRoom() takes it back.
//  * A tensor that is where the plan has it is never moved for another, but for
//    one that the step has not used and that a stranger stands in for.
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLACING_PLAN_STRANGERS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLACING_PLAN_STRANGERS_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/blocks/placed_blocks.h"
#include "client_sdk/runtime/moves/mover.h"
#include "client_sdk/runtime/plans/plan_table.h"
#include "client_sdk/runtime/plans/plan_tensors.h"
#include "client_sdk/runtime/space/evictor.h"

namespace stowage::runtime {

// A plan in the step that it drives.
struct PlanInStep {
  const PlanTable* plan = nullptr;
  int64_t begin_bytes = 0;   // of its room in the fast tier
  int64_t first_kernel = 0;  // the clock's count at the step's first kernel
};

class PlanStrangers {
 public:
  // All arguments must outlive it.
  PlanStrangers(PlacedBlocks* blocks, Mover* mover, Evictor* evictor,
                PlanTensors* tensors)
      : blocks_(blocks), mover_(mover), evictor_(evictor), tensors_(tensors) {}
  PlanStrangers(const PlanStrangers&) = delete;
  PlanStrangers& operator=(const PlanStrangers&) = delete;

  // Takes room for the block where the plan names it. In the fast tier it is
  // that place or none: what stands there is evicted. Returns nullopt, and
  // evicts nothing, if something that cannot move is there. In a slow tier,
  // where room is not scarce, the place is a wish, and any other in the tier
  // will do. Throws as Evictor::Evict() does.
  std::optional<Place> TakeRoom(Place place, Block* block);
  // Takes a hole where that returns nullopt, if there is one.
  std::optional<Place> TakeRoomOrHole(Place place, Block* block);

  // Evicts an operand of the running kernel that stands where the plan has what
  // the kernel allocates, if no other kernel uses it. Throws as
  // Evictor::Evict() does.
  void ClearWay(const PlanInStep& plan, int32_t kernel, Block* operand);

  // Brings an operand of the running kernel into fast memory that the plan does
  // not have there. It takes the part of a tensor that it can stand in for, or
  // a hole that the plan leaves just now. Returns false if there is neither.
  // Throws as Evictor::Evict() does.
  bool Fetch(const PlanInStep& plan, int32_t kernel, Block* block);

  // Calls `action` while the room of what the kernel is about to allocate is
  // taken, so that the action takes none of it.
  void BesideBirths(const PlanInStep& plan, int32_t kernel,
                    const std::function<void()>& action);

 private:
  // Returns the tensor that the stranger can stand in for, or null.
  Block* FindAbsentTwin(const PlanInStep& plan, const Block& stranger) const;
  bool CanLeave(const Block& operand) const;
  bool FetchToHole(const PlanInStep& plan, int32_t kernel, Block* block);
  std::optional<Place> TakeHole(Block* block);

  PlacedBlocks* blocks_;
  Mover* mover_;
  Evictor* evictor_;
  PlanTensors* tensors_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLACING_PLAN_STRANGERS_H_
