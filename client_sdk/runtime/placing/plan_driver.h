// Drives a step by its plan: allocations go where the table says, and moves
// begin and end at the boundaries that it lists.
//
//   PlanDriver driver(&blocks, &mover, &evictor, &segment->report);
//   const std::vector<PlanTarget> targets =
//       driver.tensors()->Recognize(plan, step, plan_begin_bytes);
//   if (driver.Start(plan, targets, plan_begin_bytes)) {
//     surprise = driver.BeginKernel(kernel);
//     surprise = driver.CheckOperands(kernel, operands);
//     surprise = driver.PlaceNew(kernel, block);
//     surprise = driver.EndStep(kernel_count);
//   }
//   driver.Leave();  // after the first surprise
//   driver.Resume(other_plan, targets, plan_begin_bytes, boundary);
//
// Each call compares what the program does with what the plan says. As long as
// both agree, nothing has to be decided. Where they differ and the plan can
// still go on, it does: a tensor of the plan that is gone is left out, and one
// that the plan does not know finds a hole (plan_strangers.h). Where it cannot,
// the call returns a Surprise, and the caller leaves the plan: demand mode goes
// on with whatever is where; or the plan of another kind of step does, which is
// the same so far.
//
// Invariants:
//  * While plan() is set, each tensor that the plan has in fast memory now is
//    there, at its offset above `plan_begin_bytes`, or has no block; or it
//    could not move there when the plan took over.
//  * The plan's room holds nothing else but strangers, and tensors that
//    outlived what the plan expects.
//  * After a surprise nothing is called but Leave(). After Leave() no planned
//    move is under way and no copy is kept, and plan() is null.
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLACING_PLAN_DRIVER_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLACING_PLAN_DRIVER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/blocks/placed_blocks.h"
#include "client_sdk/runtime/moves/mover.h"
#include "client_sdk/runtime/placing/plan_moves.h"
#include "client_sdk/runtime/placing/plan_strangers.h"
#include "client_sdk/runtime/plans/plan_table.h"
#include "client_sdk/runtime/plans/plan_tensors.h"
#include "client_sdk/runtime/space/evictor.h"
#include "client_sdk/runtime/steps/running_kernel.h"
#include "client_sdk/runtime/steps/surprise.h"
#include "client_sdk/session/session.h"

namespace stowage::runtime {

class PlanDriver {
 public:
  // All arguments must outlive it.
  PlanDriver(PlacedBlocks* blocks, Mover* mover, Evictor* evictor,
             session::Report* report);
  PlanDriver(const PlanDriver&) = delete;
  PlanDriver& operator=(const PlanDriver&) = delete;

  // Returns the tensors of the step's plan, whether or not it drives.
  PlanTensors* tensors() { return &tensors_; }
  // Returns the plan that drives, or null.
  const PlanTable* plan() const { return running_.plan; }

  // Brings the blocks that are alive to where the plan wants them. From then on
  // the plan drives; it outlives the step. Returns false, and drives nothing,
  // if one of them cannot go there. Throws as Evictor::Evict() does.
  bool Start(const PlanTable& plan, const std::vector<PlanTarget>& targets,
             int64_t plan_begin_bytes);

  // Lets a plan drive from that boundary on, in a step that has left another.
  // Brings the blocks to where this one has them there, but for those that
  // cannot move now. Throws as Evictor::Evict() does.
  void Resume(const PlanTable& plan, const std::vector<PlanTarget>& targets,
              int64_t plan_begin_bytes, int32_t boundary);

  // Returns the blocks with views that the plan which drives moves at the
  // boundary before that kernel.
  std::vector<const Block*> ViewedAt(int32_t kernel) const {
    return plan() == nullptr ? std::vector<const Block*>{}
                             : moves_.ViewedAt(kernel);
  }

  // Passes the boundary before the kernel, which is the next of the step.
  std::optional<Surprise> BeginKernel(const RunningKernel& kernel);
  // Sees to it that the kernel, which is among the users of its operands, can
  // use each where it is.
  std::optional<Surprise> CheckOperands(
      const RunningKernel& kernel, const std::vector<KernelOperand>& operands);
  // Returns where in the fast tier the kernel streams through a window of its
  // own; nullopt if the plan has none for it.
  struct Window {
    int64_t offset_bytes = 0;
    int64_t bytes = 0;
  };
  std::optional<Window> WindowOf(const RunningKernel& kernel) const;
  // Keeps the room of what the kernel is about to allocate from `action`, and
  // calls it. While plan() is set.
  void BesideBirths(const RunningKernel& kernel,
                    const std::function<void()>& action) {
    strangers_.BesideBirths(running_, kernel.index, action);
  }
  // Gives a block its place that the kernel allocates. The place is not set if
  // there is a surprise.
  std::optional<Surprise> PlaceNew(const RunningKernel& kernel, Block* block);
  // Passes the last boundary of a step that has ended after `kernel_count`
  // kernels.
  std::optional<Surprise> EndStep(int32_t kernel_count);

  // Ends the plan's drive: gives up what is kept for it, and settles moves.
  void Leave();
  // Notes that the next step begins, whose plan has yet to start.
  void BeginStep() { running_.plan = nullptr; }

 private:
  bool Arrange(const std::vector<PlanTarget>& targets);
  bool Bring(const PlanTarget& target);
  bool TakePlace(const PlanTarget& target);
  void ClearFast(const std::vector<PlanTarget>& targets);
  bool Usable(const RunningKernel& kernel, const Block& block) const;

  PlacedBlocks* blocks_;
  Mover* mover_;
  Evictor* evictor_;
  session::Report* report_;
  PlanTensors tensors_;
  PlanStrangers strangers_;
  PlanMoves moves_;
  PlanInStep running_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLACING_PLAN_DRIVER_H_
