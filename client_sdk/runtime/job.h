// The runtime of one training process: where its tensors live, and the moves
// between tiers at kernel boundaries.
//
//   Job job(&client, storage_access, settings);
//   job.BeginKernel(&kernel, operands);  // operands are usable from here on
//   void* address = job.Allocate(&kernel, bytes);
//   job.EndKernel(&kernel, outputs);
//   job.EndStep();  // after the optimizer
//
// Demand mode: outputs are allocated in a bounded fast arena, old tensors are
// evicted to make room, operands are fetched at use. Plan mode: the plan's
// table says where every allocation goes and which moves start and end at which
// kernel; whatever the plan did not foresee ends plan mode for the rest of the
// step. In such a step, if its kernels are still the plan's, hints of the
// placement service are followed where nothing has to wait for them. None of
// this changes a bit of any tensor.
//
// One per process. Thread-safe: one mutex guards everything; it is not held
// while a kernel runs. Errors are thrown as std::runtime_error with a message
// for the user; tensors are whole when that happens.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_JOB_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_JOB_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <vector>

#include "client_sdk/runtime/block.h"
#include "client_sdk/runtime/demand_placer.h"
#include "client_sdk/runtime/evictor.h"
#include "client_sdk/runtime/fast_space.h"
#include "client_sdk/runtime/hint_follower.h"
#include "client_sdk/runtime/job_settings.h"
#include "client_sdk/runtime/mover.h"
#include "client_sdk/runtime/pinned_room.h"
#include "client_sdk/runtime/placed_blocks.h"
#include "client_sdk/runtime/plan_driver.h"
#include "client_sdk/runtime/plan_exchange.h"
#include "client_sdk/runtime/plan_table.h"
#include "client_sdk/runtime/plan_tensors.h"
#include "client_sdk/runtime/running_kernel.h"
#include "client_sdk/runtime/running_step.h"
#include "client_sdk/runtime/session_client.h"
#include "client_sdk/runtime/step_publisher.h"
#include "client_sdk/runtime/storage_access.h"
#include "client_sdk/runtime/surprise.h"

namespace stowage::runtime {

class Job {
 public:
  Job(SessionClient* client, const StorageAccess& storage,
      const JobSettings& settings);

  // Makes every operand usable where it is and keeps it there until EndKernel.
  // May block on moves.
  void BeginKernel(RunningKernel* kernel,
                   const std::vector<KernelOperand>& operands);
  // `outputs` are operands, too.
  void EndKernel(RunningKernel* kernel,
                 const std::vector<KernelOperand>& outputs);

  // Memory for a new tensor, aligned to a page. `kernel` is null outside of
  // kernels. May evict. Null in a job that will be refused before its first
  // update: its limit is too small, and what is left to find out is by how
  // much.
  void* Allocate(RunningKernel* kernel, int64_t size_bytes);
  // False if the address is not managed here.
  bool Free(void* address);

  // The block that holds the storage behind `context`, or null. Takes a handle
  // to the storage if the block has none yet. The block stays valid while its
  // storage lives.
  Block* BlockOf(void* context, bool parameter);
  bool Manages(const void* address) const { return blocks_.Manages(address); }

  // The optimizer is about to update the parameters. Throws if the limit turned
  // out to be too small, before anything was learned.
  void BeforeUpdate();
  // The step is over: the optimizer has run, or the next forward pass begins.
  void EndStep();

  // The address of the storage behind `context` is about to be known outside:
  // the tensor may move during this call, and no more after it.
  void Pin(void* context);

  // Counts storages below the managed size.
  void CountUnmanaged(int64_t bytes) { blocks_.CountUnmanaged(bytes); }

  // A fault at an address of a file tier. False if it is not ours.
  bool HandleFault(void* address);

  // Around fork(): see fork_guard.h.
  void LockForFork();
  void UnlockAfterFork();
  // All live blocks; the mutex must be held.
  const std::unordered_set<Block*>& blocks() const { return blocks_.all(); }
  // Grows whenever a block may have changed or moved.
  int64_t change_count() const { return blocks_.change_count(); }
  // Brings a block's bytes into `memory`; the mutex must be held.
  int ReadBlock(const Block& block, void* memory);

  // A limit in bytes, 0 while unlimited or unknown.
  int64_t limit_bytes() const { return space_.limit().bytes(); }

 private:
  class Lock;

  // job.cc
  void EnterKernel(RunningKernel* kernel);
  void Use(RunningKernel* kernel, const KernelOperand& operand);
  void Unuse(RunningKernel* kernel);
  void PlaceOperands(RunningKernel* kernel,
                     const std::vector<KernelOperand>& operands);
  void ExtendWindow(RunningKernel* kernel);
  void UseInPlace(RunningKernel* kernel,
                  const std::vector<KernelOperand>& operands);
  void Die(Block* block);
  void LeaveStep(Block* block);
  void SetAside(Block* block);
  void PlaceNew(const RunningKernel& kernel, Block* block);
  void LeavePlanOn(std::optional<Surprise> surprise);
  void FollowHints(const RunningKernel& kernel);
  void NoteGuidance();

  // job_step.cc: what happens between steps.
  void PublishProfile();
  int64_t TakeOverheadBytes();
  void BeginStep();
  bool StartPlan(const PlanTable& plan, const std::vector<PlanTarget>& targets);
  void SetAsideWhatStays();
  bool AnyStaysElsewhere(const std::vector<PlanTarget>& targets) const;

  SessionClient* client_;
  std::mutex mutex_;
  PlacedBlocks blocks_;
  Mover mover_;
  Evictor evictor_;
  FastSpace space_;
  DemandPlacer demand_;
  PinnedRoom pinned_;
  PlanDriver driver_;
  StepPublisher publisher_;
  HintFollower hints_;
  PlanExchange plans_;
  RunningStep step_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_JOB_H_
