// Follows the advice of the placement service in a step that is off its plan.
//
//   HintFollower hints(client.segment(), &blocks, &mover, driver.tensors(),
//                      &publisher);
//   hints.Begin(plan);                             // the plan does not drive
//   hints.Follow(kernel);                          // its operands are in place
//   if (!hints.PlaceNew(kernel, block)) demand.PlaceNew(block);
//   hints.End();                                  // of the step, at the latest
//
// The kernels of such a step are still the plan's, which names them and their
// tensors. Demand mode drives. Now and then the process states which kernel it
// has reached and where the tensors are. The agent asks the service, whose
// answer says in which tier tensors should be from which kernel on. Hints that
// come due become moves ahead of the kernels that need them, or the place of a
// tensor that a kernel bears.
//
// Nothing depends on a hint. Each is followed as far as it costs nobody
// anything, and is counted as ignored otherwise: when it is late, when its
// tensor has died, when a kernel uses it, or when there is no free room.
//
// Invariants:
//  * A hint evicts nothing to make room, waits for nothing, and touches nothing
//    that a kernel uses. Moves begun for hints are Mover::BeginAhead()'s:
//    whoever needs their room or their block may end them early.
//  * A hint is followed, ignored or superseded once; it is advice for
//    kHintWindow kernels and no longer.
//  * One situation is under way at most: while the agent has not answered, the
//    shared areas are the agent's.
//  * From the first kernel or allocation that the plan does not have, plan() is
//    null, and no hint is followed until the next Begin(). Moves under way have
//    been ended then.
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLACING_HINT_FOLLOWER_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLACING_HINT_FOLLOWER_H_

#include <cstdint>
#include <optional>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/blocks/placed_blocks.h"
#include "client_sdk/runtime/moves/mover.h"
#include "client_sdk/runtime/plans/hints.h"
#include "client_sdk/runtime/plans/plan_table.h"
#include "client_sdk/runtime/plans/plan_tensors.h"
#include "client_sdk/runtime/steps/running_kernel.h"
#include "client_sdk/runtime/steps/step_publisher.h"
#include "client_sdk/session/session.h"

namespace stowage::runtime {

class HintFollower {
 public:
  // All arguments must outlive it.
  HintFollower(session::Segment* segment, PlacedBlocks* blocks, Mover* mover,
               PlanTensors* tensors, StepPublisher* publisher)
      : segment_(segment),
        blocks_(blocks),
        mover_(mover),
        tensors_(tensors),
        publisher_(publisher) {}
  HintFollower(const HintFollower&) = delete;
  HintFollower& operator=(const HintFollower&) = delete;

  // Notes that the step goes by the kernels of the plan, which outlives it but
  // does not drive it. PlanTensors has the names of its tensors.
  void Begin(const PlanTable& plan) { guide_ = {.plan = &plan}; }
  // Returns the plan whose kernels the step goes by, or null.
  const PlanTable* plan() const { return guide_.plan; }

  // Follows the hints that are due, and states the situation if it wants
  // another answer. Call it before a kernel runs, with its operands in place.
  void Follow(const RunningKernel& kernel);
  // Names the block that the kernel allocates, and gives it a place in slow
  // memory if that is the hint and kernels can write it there. Returns false if
  // demand mode is to place it.
  bool PlaceNew(const RunningKernel& kernel, Block* block);
  // Ends moves under way and forgets hints. Blocks.
  void End();

  void BeginStep() { totals_ = {}; }
  // Returns what came of hints since the step began.
  const HintTotals& totals() const { return totals_; }

 private:
  struct Guide {
    const PlanTable* plan = nullptr;
    int32_t kernel = -1;         // the last one it was followed at
    int32_t stated_kernel = -1;  // of the last situation; -1: none
    bool awaits_answer = false;
    HintQueue hints = {};
  };

  void TakeAnswer(int32_t kernel);
  void FollowDue(int32_t kernel);
  bool FollowHint(const session::Hint& hint, int32_t kernel);
  void BeginMove(Block* block, Place to);
  void AskAhead(int32_t kernel);

  session::Segment* segment_;
  PlacedBlocks* blocks_;
  Mover* mover_;
  PlanTensors* tensors_;
  StepPublisher* publisher_;
  Guide guide_;
  HintTotals totals_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLACING_HINT_FOLLOWER_H_
