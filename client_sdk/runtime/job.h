// The runtime of one training process: where its tensors live, and the moves
// between tiers at kernel boundaries.
//
//   Job job(&client, storage_access, settings);
//   job.BeginKernel(&kernel, operands);  // operands are usable from here on
//   void* address = job.Allocate(&kernel, bytes);
//   job.EndKernel(&kernel, outputs);
//   job.EndStep();  // after the optimizer
//
// The Job is what the hook and the allocator of the framework call. It holds
// the one mutex, knows in which mode the step is (step_mode.h), and passes each
// call on to the collaborators that the mode asks for:
//
//   what and where   PlacedBlocks: blocks, their places, the bytes of each tier
//                    Mover: copies; Evictor: room by moving others out
//                    FastSpace: the limit, and how what is under it is divided
//                    PinnedRoom: tensors whose address is known outside
//                    FastKeeper: tensors that are to stay in fast memory
//   who places       DemandPlacer, PlanDriver, HintFollower: one for each mode
//   with the agent   PlanExchange: profiles go, plans come
//                    StepPublisher: what each step came to
//   with the script  StepLog: the same, for training loggers
//
// Each owns its state, and they form no circle: a collaborator knows those
// above it in the first group, and what follows a plan or hints says by its
// result that it cannot go on. The Job alone changes the mode.
//
// Invariants:
//  * None of this changes a bit of any tensor: see mover.h.
//  * From BeginKernel() to EndKernel() the kernel's operands stay where they
//    are; it is among their users.
//  * PlanDriver::plan() is set in StepMode::kPlan alone, HintFollower::plan()
//    in StepMode::kGuided alone.
//  * Whatever goes wrong with a plan, a hint or the agent ends in demand mode,
//    which assumes nothing.
//  * A block that is freed while the mutex is held, by this thread, dies when
//    it is let go: a storage's last reference may go while the Job works on it.
//
// One per process. Thread-safe: the mutex guards everything, as the compiler
// can check (mutex.h); it is not held while a kernel runs. Errors are thrown as
// std::runtime_error with a message for the user; tensors are whole when that
// happens.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_JOB_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_JOB_H_

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/blocks/placed_blocks.h"
#include "client_sdk/runtime/blocks/storage_access.h"
#include "client_sdk/runtime/blocks/told_addresses.h"
#include "client_sdk/runtime/connection/agent_return.h"
#include "client_sdk/runtime/connection/session_client.h"
#include "client_sdk/runtime/job_settings.h"
#include "client_sdk/runtime/moves/mover.h"
#include "client_sdk/runtime/placing/copies_ahead.h"
#include "client_sdk/runtime/placing/demand_placer.h"
#include "client_sdk/runtime/placing/fetches_ahead.h"
#include "client_sdk/runtime/placing/hint_follower.h"
#include "client_sdk/runtime/placing/plan_driver.h"
#include "client_sdk/runtime/plan_exchange.h"
#include "client_sdk/runtime/plans/plan_table.h"
#include "client_sdk/runtime/plans/plan_tensors.h"
#include "client_sdk/runtime/process/mutex.h"
#include "client_sdk/runtime/space/evictor.h"
#include "client_sdk/runtime/space/fast_keeper.h"
#include "client_sdk/runtime/space/fast_space.h"
#include "client_sdk/runtime/space/pinned_room.h"
#include "client_sdk/runtime/steps/running_kernel.h"
#include "client_sdk/runtime/steps/running_step.h"
#include "client_sdk/runtime/steps/step_kinds.h"
#include "client_sdk/runtime/steps/step_log.h"
#include "client_sdk/runtime/steps/step_publisher.h"
#include "client_sdk/runtime/steps/surprise.h"

namespace stowage::runtime {

class Job {
 public:
  Job(SessionClient* client, const StorageAccess& storage,
      const JobSettings& settings);

  // Makes every operand usable where it is and keeps it there until EndKernel.
  // It may wait for moves.
  void BeginKernel(RunningKernel* kernel,
                   const std::vector<KernelOperand>& operands);
  // Ends the kernel's use of its operands, and of `outputs`, which are
  // operands, too.
  void EndKernel(RunningKernel* kernel,
                 const std::vector<KernelOperand>& outputs);

  // Returns memory for a new tensor, aligned to a page. `kernel` is null
  // outside of kernels. It may evict. Returns null in a job that will be
  // refused before its first update: its limit is too small, and the job only
  // goes on to find out by how much.
  void* Allocate(RunningKernel* kernel, int64_t size_bytes);
  // Frees the memory. Returns false if the address is not managed here.
  bool Free(void* address);

  // Returns the block that holds the storage behind `context`, or null. Takes a
  // handle to the storage if the block has none yet. The block stays valid
  // while its storage lives.
  Block* BlockOf(void* context, bool parameter);
  // Returns whether the address lies in a tier of the job. Takes no lock, as
  // that never changes.
  bool Manages(const void* address) const STOWAGE_NO_THREAD_SAFETY_ANALYSIS {
    return blocks_.Manages(address);
  }

  // Notes that the optimizer is about to update the parameters. Throws if the
  // limit turned out to be too small, before anything was learned.
  void BeforeUpdate();
  // Ends the step: the optimizer has run, or the next forward pass begins.
  void EndStep();

  // Pins the storage behind `context`, whose address is about to be known
  // outside: the tensor may move during this call, and no more after it.
  void Pin(void* context);

  // The same, for as long as an array lives. Returns what Unpin() takes when it
  // dies; 0: the address stays known for good.
  uint64_t PinView(void* context);
  // The same for an operand of a kernel that runs, which something uses until
  // after the kernel: the operand does not move for it.
  uint64_t PinOperand(void* context);
  // Notes that it still is in use when the next kernel begins. Plans leave it
  // where it is until a kernel names it again.
  void NoteUseBeside(uint64_t operand);
  // Returns the views and operands whose tensors the plan moves as the next
  // kernel begins. It is left if they are still pinned then.
  std::vector<uint64_t> PinsInTheWay();
  void Unpin(uint64_t view);

  // Keeps the storage where it is until Unpin(), for something that forgets the
  // address by then. Nothing is set aside for it. Returns 0 if it stays anyway.
  uint64_t Hold(void* context);

  // Notes that the address of the storage behind `context` is about to be told,
  // as its name or to be used before the next kernel begins, where somebody may
  // write unseen. The tensor may move during this call. Until the step ends, no
  // other storage that lives is told the same address.
  void TellAddress(void* context, bool may_write);

  // Keeps the storages behind these contexts in fast memory from now on; where a
  // plan drives the step, from its end on, and under a share from the end of the
  // first step on. Throws if the limit has no room for all of them, now or, as
  // long as it is not known, when a later step ends. `again` leaves out what was
  // refused.
  void KeepFast(const std::vector<void*>& contexts, bool again);

  // Makes room under the limit for a tensor that is allocated elsewhere. Throws
  // if there is none.
  void AdmitUnmanaged(int64_t bytes);
  // Returns whether tensors that are not managed would crowd others with one more
  // of so many bytes.
  bool IsCrowdedBy(int64_t unmanaged_bytes);

  // Names the phase of training from here on. Returns the one before.
  std::string EnterPhase(const std::string& name);
  // Returns the steps that have ended since the last call, as lines of JSON. The
  // first call returns none.
  std::string TakeStepLines();

  // Counts storages below the managed size. Takes no lock, as the count is
  // atomic.
  void CountUnmanaged(int64_t bytes) STOWAGE_NO_THREAD_SAFETY_ANALYSIS {
    blocks_.CountUnmanaged(bytes);
  }

  // Serves a fault at an address of a file tier. Returns false if the address
  // is not ours. While it waits for the file, other threads may be served.
  bool HandleFault(void* address, Access access);
  // Has a thread serve missing pages without a signal (pager.h). Returns 0 or
  // an errno; with an error nothing is served in this way.
  int UseStrayPages(Userfault* userfault);
  // Serves a page that somebody waits for. Returns false if the page has been
  // closed, and is to be opened when whoever waited has seen that.
  bool HandleMissingPage(char* page, bool write);
  void OpenPage(char* page);

  // Hold the job still around fork(): see fork_guard.h.
  void LockForFork() STOWAGE_ACQUIRE(mutex_) {
    mutex_.Lock();
    mover_.ReleaseStrayPages();
    mover_.window()->requests()->Hold();
  }
  void UnlockAfterFork() STOWAGE_RELEASE(mutex_) {
    mover_.window()->requests()->LetGo();
    mutex_.Unlock();
  }
  // Returns all live blocks.
  const std::unordered_set<Block*>& blocks() const STOWAGE_REQUIRES(mutex_) {
    return blocks_.all();
  }
  // Grows whenever a block may have changed or moved.
  int64_t change_count() const STOWAGE_REQUIRES(mutex_) {
    return blocks_.change_count();
  }
  // Brings a block's bytes into `memory`. Returns 0 or an errno.
  int ReadBlock(const Block& block, void* memory) STOWAGE_REQUIRES(mutex_) {
    return mover_.Read(block, memory);
  }

  // Returns the limit in bytes, 0 while there is none or it is unknown.
  int64_t limit_bytes();

 private:
  class Lock;

  // job_kernel.cc: kernels and their operands.
  void EnterKernel(RunningKernel* kernel) STOWAGE_REQUIRES(mutex_);
  void EnterPlanned(const RunningKernel& kernel) STOWAGE_REQUIRES(mutex_);
  void Use(RunningKernel* kernel, const KernelOperand& operand)
      STOWAGE_REQUIRES(mutex_);
  void Unuse(RunningKernel* kernel) STOWAGE_REQUIRES(mutex_);
  void ProfileOutput(const RunningKernel& kernel, const KernelOperand& output)
      STOWAGE_REQUIRES(mutex_);
  bool InFile(const Block& block) const STOWAGE_REQUIRES(mutex_);
  void UseInPlace(RunningKernel* kernel,
                  const std::vector<KernelOperand>& operands)
      STOWAGE_REQUIRES(mutex_);
  void EndMoveOf(const KernelOperand& operand) STOWAGE_REQUIRES(mutex_);
  void PlaceOperands(RunningKernel* kernel,
                     const std::vector<KernelOperand>& operands)
      STOWAGE_REQUIRES(mutex_);
  void StreamNew(RunningKernel* kernel, Block* block) STOWAGE_REQUIRES(mutex_);
  void ExtendWindow(RunningKernel* kernel) STOWAGE_REQUIRES(mutex_);
  bool ExtendWindowIntoHole(const RunningKernel& kernel)
      STOWAGE_REQUIRES(mutex_);

  // job.cc: births, deaths and addresses.
  void PlaceNew(const RunningKernel& kernel, Block* block)
      STOWAGE_REQUIRES(mutex_);
  void PlacePlanned(const RunningKernel& kernel, Block* block)
      STOWAGE_REQUIRES(mutex_);
  void Die(Block* block) STOWAGE_REQUIRES(mutex_);
  void LeaveStep(Block* block) STOWAGE_REQUIRES(mutex_);
  void SetAside(Block* block) STOWAGE_REQUIRES(mutex_);
  void PinForGood(Block* block) STOWAGE_REQUIRES(mutex_);
  void MoveToUntoldAddress(Block* block) STOWAGE_REQUIRES(mutex_);
  bool IsTold(const Block& block) const STOWAGE_REQUIRES(mutex_);
  void* StorageAddress(void* context) const;

  // job_step.cc: how a step begins, changes its mode and ends.
  void BeginStep() STOWAGE_REQUIRES(mutex_);
  void BeginPlanned(const PlanTable& plan) STOWAGE_REQUIRES(mutex_);
  bool FindAgent() STOWAGE_REQUIRES(mutex_);
  bool ComeBack() STOWAGE_REQUIRES(mutex_);
  bool StartPlan(const PlanTable& plan, const std::vector<PlanTarget>& targets)
      STOWAGE_REQUIRES(mutex_);
  bool ChangePlan(const StepPosition& position) STOWAGE_REQUIRES(mutex_);
  void LeavePlanOn(std::optional<Surprise> surprise) STOWAGE_REQUIRES(mutex_);
  void EndPlan() STOWAGE_REQUIRES(mutex_);
  void NoteGuidance() STOWAGE_REQUIRES(mutex_);
  void SetAsideWhatStays() STOWAGE_REQUIRES(mutex_);
  void PublishProfile(bool limit_changes) STOWAGE_REQUIRES(mutex_);
  void AwaitPlan() STOWAGE_REQUIRES(mutex_);
  bool FollowOrder() STOWAGE_REQUIRES(mutex_);
  void SettleKept() STOWAGE_REQUIRES(mutex_);
  void ThrowKeptError() STOWAGE_REQUIRES(mutex_);
  int64_t TakeOverheadBytes() STOWAGE_REQUIRES(mutex_);

  SessionClient* const client_;
  Mutex mutex_;
  AgentReturn agent_return_ STOWAGE_GUARDED_BY(mutex_);
  PlacedBlocks blocks_ STOWAGE_GUARDED_BY(mutex_);
  Mover mover_ STOWAGE_GUARDED_BY(mutex_);
  Evictor evictor_ STOWAGE_GUARDED_BY(mutex_);
  FastSpace space_ STOWAGE_GUARDED_BY(mutex_);
  DemandPlacer demand_ STOWAGE_GUARDED_BY(mutex_);
  CopiesAhead copies_ STOWAGE_GUARDED_BY(mutex_);
  FetchesAhead fetches_ STOWAGE_GUARDED_BY(mutex_);
  PinnedRoom pinned_ STOWAGE_GUARDED_BY(mutex_);
  ToldAddresses told_ STOWAGE_GUARDED_BY(mutex_);
  FastKeeper keeper_ STOWAGE_GUARDED_BY(mutex_);
  // Of keeping, at a moment where nobody could catch it.
  std::exception_ptr kept_error_ STOWAGE_GUARDED_BY(mutex_);
  // Whether it has computed gradients, or is about to update parameters.
  bool has_trained_ STOWAGE_GUARDED_BY(mutex_) = false;
  PlanDriver driver_ STOWAGE_GUARDED_BY(mutex_);
  StepPublisher publisher_ STOWAGE_GUARDED_BY(mutex_);
  HintFollower hints_ STOWAGE_GUARDED_BY(mutex_);
  PlanExchange plans_ STOWAGE_GUARDED_BY(mutex_);
  RunningStep step_ STOWAGE_GUARDED_BY(mutex_);
  StepKinds kinds_ STOWAGE_GUARDED_BY(mutex_);
  StepLog log_ STOWAGE_GUARDED_BY(mutex_);
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_JOB_H_
