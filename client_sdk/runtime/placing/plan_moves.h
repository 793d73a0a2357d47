// The moves of a plan: which begin and which end at the boundary before each
// kernel.
//
//   PlanMoves moves(&blocks, &mover, &tensors, &strangers);
//   moves.Begin(plan, plan_begin_bytes);              // the step begins
//   if (auto surprise = moves.Pass(kernel)) {         // before each kernel
//     return surprise;
//   }
//   moves.Settle();                                   // the plan is left
//
// A move has a start, the boundary at which it may begin, and a deadline, the
// boundary at which its bytes must have arrived: that of the first kernel that
// needs it or its room. Where the two are the same the process waits at once;
// else the agent copies while kernels run (proto/stowage/v1/plan.proto).
//
// At a boundary, moves that are due end first, as they free the room that those
// which begin there may need. Of the latter, neighbours that are waited for and
// have the same direction are all issued before any is awaited, so that the
// agent sees which of them make one copy. Drops wait for nothing.
//
// Invariants:
//  * Boundaries are passed in order, and each move begins and ends once.
//  * After Pass(kernel) no move is under way that is due at it or before.
//  * A move that a surprise leaves under way is ended by Settle().
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLACING_PLAN_MOVES_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLACING_PLAN_MOVES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/blocks/placed_blocks.h"
#include "client_sdk/runtime/moves/mover.h"
#include "client_sdk/runtime/placing/plan_strangers.h"
#include "client_sdk/runtime/plans/plan_table.h"
#include "client_sdk/runtime/plans/plan_tensors.h"
#include "client_sdk/runtime/steps/surprise.h"

namespace stowage::runtime {

class PlanMoves {
 public:
  // All arguments must outlive it.
  PlanMoves(PlacedBlocks* blocks, Mover* mover, PlanTensors* tensors,
            PlanStrangers* strangers)
      : blocks_(blocks),
        mover_(mover),
        tensors_(tensors),
        strangers_(strangers) {}
  PlanMoves(const PlanMoves&) = delete;
  PlanMoves& operator=(const PlanMoves&) = delete;

  // Starts over with the moves of a plan, which outlives the step. Its fast
  // room begins at `plan_begin_bytes`. Pass(boundary) comes next: moves that
  // are over by then are left out.
  void Begin(const PlanTable& plan, int64_t plan_begin_bytes,
             int32_t boundary = 0);

  // Ends and begins the moves of the boundary before that kernel, or after the
  // last one. Blocks until those have arrived that are due. Throws as
  // Evictor::Evict() does.
  std::optional<Surprise> Pass(int32_t kernel);

  // Returns the blocks with views that the plan moves at that boundary.
  std::vector<const Block*> ViewedAt(int32_t kernel) const;

  // Waits for every move under way. One that failed leaves its block where it
  // was.
  void Settle();

 private:
  struct Batch;

  std::optional<Surprise> EndDue(int32_t kernel);
  std::optional<Surprise> BeginAt(int32_t kernel);
  bool BeginMove(const session::PlanMove& move, Block* block, int32_t kernel);
  int64_t DeadlineNs(const session::PlanMove& move, int32_t kernel) const;
  std::optional<Surprise> Finish(Block* block, int32_t kernel);
  std::optional<Surprise> EndBatch(Batch* batch, int32_t kernel);

  PlacedBlocks* blocks_;
  Mover* mover_;
  PlanTensors* tensors_;
  PlanStrangers* strangers_;
  const PlanTable* plan_ = nullptr;
  int64_t plan_begin_bytes_ = 0;
  int32_t first_boundary_ = 0;
  size_t next_move_ = 0;      // by start
  size_t next_deadline_ = 0;  // by deadline
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLACING_PLAN_MOVES_H_
