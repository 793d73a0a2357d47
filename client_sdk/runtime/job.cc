// Memory: births and deaths of blocks, and addresses that are told or fault.
#include "client_sdk/runtime/job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <utility>

#include "client_sdk/runtime/blocks/block_name.h"
#include "client_sdk/runtime/blocks/no_room.h"
#include "client_sdk/runtime/job_lock.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/error_text.h"
#include "client_sdk/session/hash.h"

namespace stowage::runtime {
namespace {

// Allocations outside of any operator count as kernels of this name.
constexpr std::string_view kLooseAllocation = "stowage::allocate";
constexpr uint64_t kLooseAllocationKey = 1;

// Somebody waits for bytes that cannot be had.
[[noreturn]] void DieOfTier(const Block& block, const MappedTier& tier,
                            int error) {
  fprintf(
      stderr,
      "stowage: the slow tier %s failed while %s was read in place: %s; the "
      "job cannot go on\n",
      tier.info.name, NameOf(block).c_str(), session::ErrorText(error));
  abort();
}

}  // namespace

Job::Job(SessionClient* client, const StorageAccess& storage,
         const JobSettings& settings)
    : client_(client),
      blocks_(&client->tiers(), storage),
      mover_(client, &blocks_),
      evictor_(&blocks_, &mover_, &client->segment()->report),
      space_(client, &blocks_, &mover_, &evictor_),
      demand_(&blocks_, &mover_, &evictor_),
      copies_(&blocks_, &mover_),
      fetches_(&blocks_, &mover_, &evictor_),
      pinned_(&blocks_, &mover_, &evictor_, &space_),
      keeper_(&blocks_, &mover_, &pinned_, &space_),
      driver_(&blocks_, &mover_, &evictor_, &client->segment()->report),
      publisher_(client, &blocks_, &mover_),
      hints_(client->segment(), &blocks_, &mover_, driver_.tensors(),
             &publisher_),
      plans_(client, &publisher_, settings),
      log_(&client->segment()->report, settings.step_log_path) {
  BeginStep();
}

Block* Job::BlockOf(void* context, bool parameter) {
  Lock lock(this);
  Block* block = blocks_.Adopt(context);
  if (block != nullptr) block->parameter = block->parameter || parameter;
  return block;
}

void* Job::Allocate(RunningKernel* kernel, int64_t size_bytes) {
  Lock lock(this);
  RunningKernel loose{.key = kLooseAllocationKey, .name = kLooseAllocation};
  if (kernel == nullptr) kernel = &loose;
  const int64_t stall_before_ns = mover_.totals().stall_ns();
  EnterKernel(kernel);

  std::unique_ptr<Block> block = blocks_.New(size_bytes);
  if (!space_.HasTierFor(*block, step_.index)) throw NoRoomFor(size_bytes);
  block->backward = kernel->backward;
  block->birth_step = step_.index;
  block->made_by = kernel->name;
  block->birth_tag = step_.tagger.Next(kernel->key, size_bytes);
  kernel->working_bytes += block->room_bytes();
  kernel->born_bytes += block->room_bytes();
  space_.FollowBirth(step_.index, *block, kernel->working_bytes);
  if (!space_.Admits(*block, step_.index)) return nullptr;
  demand_.NoteBirth(*kernel, *block);
  PlaceNew(*kernel, block.get());
  if (block->place.tier != session::kFastTier) {
    kernel->NoteSlowBirth(*block);
    const bool in_file = InFile(*block);
    if (in_file) block->written.BeginEmpty(block->room_bytes());
    if (in_file && kernel != &loose) StreamNew(kernel, block.get());
  }
  step_.profile.AddBirth(kernel->index, kernel->ordinal++, block.get());
  kernel->moved_ns += mover_.totals().stall_ns() - stall_before_ns;
  if (kernel == &loose) {
    step_.BeginGap(session::NowNs(), mover_.totals().stall_ns());
  }
  return blocks_.AddressOf(blocks_.Add(std::move(block))->place);
}

// A block that is not born leaves no room behind.
void Job::StreamNew(RunningKernel* kernel, Block* block) {
  kernel->NoteStreamingBirth(*block);
  try {
    ExtendWindow(kernel);
  } catch (...) {
    blocks_.GiveBack(block->place);
    throw;
  }
  mover_.BeginStreaming(block);
}

void Job::PlaceNew(const RunningKernel& kernel, Block* block) {
  if (step_.mode == StepMode::kPlan) PlacePlanned(kernel, block);
  if (step_.mode == StepMode::kPlan) return;
  if (step_.mode == StepMode::kGuided) {
    hints_.Follow(kernel);
    NoteGuidance();
  }
  bool placed = false;
  if (step_.mode == StepMode::kGuided) {
    placed = hints_.PlaceNew(kernel, block);
    NoteGuidance();
  }
  if (!placed) demand_.PlaceNew(block);
}

void Job::PlacePlanned(const RunningKernel& kernel, Block* block) {
  std::optional<Surprise> surprise = driver_.PlaceNew(kernel, block);
  if (surprise.has_value() &&
      surprise->reason == SurpriseReason::kAllocationSequence &&
      ChangePlan({.signature = session::HashMix(step_.profile.signature(),
                                                block->size_bytes),
                  .kernel = kernel.index,
                  .births = kernel.ordinal + 1})) {
    surprise = driver_.PlaceNew(kernel, block);
  }
  LeavePlanOn(std::move(surprise));
}

bool Job::Free(void* address) {
  if (!Manages(address)) return false;
  if (Lock::Held()) {
    mutex_.AssertHeld();
    if (Block* block = blocks_.Find(address)) blocks_.Defer(block);
    return true;
  }
  Lock lock(this);
  if (Block* block = blocks_.Find(address)) Die(block);
  return true;
}

void Job::Die(Block* block) {
  mover_.Abandon(block);
  pinned_.ForgetViews(block);
  told_.Forget(*block);
  LeaveStep(block);
  blocks_.Remove(block);
}

// For the profile and the plan of the step it is dead.
void Job::LeaveStep(Block* block) {
  step_.profile.AddDeath(*block);
  block->profile_index = -1;
  driver_.tensors()->Forget(block);
}

// Takes no lock: the framework's storage says it, to any thread.
void* Job::StorageAddress(void* context) const
    STOWAGE_NO_THREAD_SAFETY_ANALYSIS {
  return blocks_.StorageAddress(context);
}

void Job::Pin(void* context) {
  if (!Manages(StorageAddress(context))) return;
  Lock lock(this);
  // It may just have moved.
  Block* block = blocks_.Find(StorageAddress(context));
  if (block != nullptr) PinForGood(block);
}

void Job::PinForGood(Block* block) {
  pinned_.ForgetViews(block);
  blocks_.ForgetKeptFast(block);  // from here on it cannot move at all
  if (block->pinned) return;
  if (block->moving()) mover_.Finish(block);
  if (blocks_.Movable(*block) && !IsTold(*block)) SetAside(block);
  blocks_.MarkPinned(block);
}

uint64_t Job::PinView(void* context) {
  if (!Manages(StorageAddress(context))) return 0;
  Lock lock(this);
  Block* block = blocks_.Find(StorageAddress(context));
  if (block == nullptr) return 0;
  if (block->pinned && block->views == 0) {
    PinForGood(block);
    return 0;
  }
  if (!block->pinned) {
    if (block->moving()) mover_.Finish(block);
    if (!blocks_.CanMove(*block)) {
      PinForGood(block);
      return 0;
    }
    const bool fast = block->place.tier == session::kFastTier;
    const bool waits = fast && step_.index > 0 && !pinned_.ViewsLast(*block);
    if (!waits && blocks_.Movable(*block)) SetAside(block);
  }
  return pinned_.AddView(block);
}

// If the plan wants to move one meanwhile, those of later steps are set aside.
uint64_t Job::PinOperand(void* context) {
  if (!Manages(StorageAddress(context))) return 0;
  Lock lock(this);
  Block* block = blocks_.Find(StorageAddress(context));
  if (block == nullptr || (block->pinned && block->views == 0)) return 0;
  if (!pinned_.ViewsLast(*block)) return pinned_.AddView(block);
  PinForGood(block);
  return 0;
}

uint64_t Job::Hold(void* context) {
  if (!Manages(StorageAddress(context))) return 0;
  Lock lock(this);
  Block* block = blocks_.Find(StorageAddress(context));
  if (block == nullptr) return 0;
  if (block->moving()) mover_.Finish(block);
  const bool viewed = block->pinned && block->views > 0;
  return viewed || blocks_.CanMove(*block) ? pinned_.AddView(block) : 0;
}

void Job::NoteUseBeside(uint64_t operand) {
  Lock lock(this);
  const Block* block = pinned_.Viewed(operand);
  if (block != nullptr) step_.profile.AddUseBeside(*block);
}

std::vector<uint64_t> Job::PinsInTheWay() {
  Lock lock(this);
  std::vector<uint64_t> pins;
  if (step_.mode != StepMode::kPlan) return pins;
  for (const Block* block : driver_.ViewedAt(step_.profile.kernel_count())) {
    pins.push_back(block->id);
  }
  return pins;
}

void Job::KeepFast(const std::vector<void*>& contexts, bool again) {
  Lock lock(this);
  std::vector<Block*> blocks;
  for (void* context : contexts) {
    Block* block = blocks_.Adopt(context);
    if (block != nullptr) blocks.push_back(block);
  }
  keeper_.Add(blocks, again, step_.index);
  if (step_.mode == StepMode::kPlan) return;
  SettleKept();
  ThrowKeptError();
}

void Job::AdmitUnmanaged(int64_t bytes) {
  Lock lock(this);
  space_.AdmitUnmanaged(bytes, step_.index);
}

bool Job::IsCrowdedBy(int64_t unmanaged_bytes) {
  Lock lock(this);
  return space_.IsCrowdedBy(unmanaged_bytes);
}

std::string Job::EnterPhase(const std::string& name) {
  Lock lock(this);
  return step_.phases.Enter(name);
}

std::string Job::TakeStepLines() {
  Lock lock(this);
  return log_.Take();
}

// An array may die wherever Python collects it.
void Job::Unpin(uint64_t view) {
  if (Lock::Held()) return;
  Lock lock(this);
  pinned_.EndView(view);
}

void Job::TellAddress(void* context, bool may_write) {
  if (!Manages(StorageAddress(context))) return;
  Lock lock(this);
  Block* block = blocks_.Find(StorageAddress(context));
  if (block == nullptr) return;
  if (block->moving()) mover_.Finish(block);
  const void* address = blocks_.AddressOf(block->place);
  if (told_.IsOfAnother(address, *block)) MoveToUntoldAddress(block);
  told_.Add(blocks_.AddressOf(block->place), *block);
  if (may_write) blocks_.NoteWrite({block, session::kOperandWrite});
}

bool Job::IsTold(const Block& block) const {
  return told_.IsOf(blocks_.AddressOf(block.place), block);
}

// What cannot move keeps the address that it has been told before, as those who
// use it do.
void Job::MoveToUntoldAddress(Block* block) {
  if (!blocks_.Movable(*block)) return;
  if (step_.mode == StepMode::kPlan) {
    LeavePlanOn(Surprise{SurpriseReason::kAddressTaken,
                         step_.profile.kernel_count(),
                         "a storage moves since its address has been another "
                         "one's name"});
  }
  evictor_.MoveWhere(block, [this, block](Place place) {
    mutex_.AssertHeld();
    return !told_.IsOfAnother(blocks_.AddressOf(place), *block);
  });
}

// A plan that drives keeps its own room only as long as there is room below it.
void Job::SetAside(Block* block) {
  const bool fast = block->place.tier == session::kFastTier;
  if (space_.limit().unlimited() && fast) return;  // nothing has to move
  space_.FollowPeak(step_.index, blocks_.tensor_bytes(), block->room_bytes());
  if (step_.mode == StepMode::kPlan && !pinned_.FitsBelowPlan(*block)) {
    LeavePlanOn(Surprise{
        SurpriseReason::kAddressTaken, step_.profile.kernel_count(),
        "a tensor whose address is known outside takes room of the plan"});
  }
  if (pinned_.SetAside(block)) LeaveStep(block);
}

int64_t Job::limit_bytes() {
  Lock lock(this);
  return space_.limit().bytes();
}

bool Job::HandleFault(void* address, Access access) {
  if (Lock::Held() || !Manages(address)) return false;
  const int64_t begin_ns = session::NowNs();
  FileRequests* requests = nullptr;
  TransferTicket awaited;
  for (bool again = false;; again = true, requests->Await(awaited)) {
    MutexLock lock(&mutex_);
    Block* block = blocks_.Find(address);
    // A tensor that has moved meanwhile may be used where it is.
    if (block == nullptr || blocks_.tier(block->place.tier).addressable()) {
      return again;
    }
    const int error =
        mover_.Fault(block, static_cast<char*>(address), access, again);
    if (error == EINPROGRESS) {
      requests = mover_.window()->requests();
      awaited = mover_.window()->awaited();
      continue;
    }
    if (error != 0) DieOfTier(*block, blocks_.tier(block->place.tier), error);
    step_.fault_waits.Add(gettid(), session::NowNs() - begin_ns);
    return true;
  }
}

int Job::UseStrayPages(Userfault* userfault) {
  Lock lock(this);
  return mover_.UseStrayPages(userfault);
}

bool Job::HandleMissingPage(char* page, bool write) {
  const int64_t begin_ns = session::NowNs();
  MutexLock lock(&mutex_);
  Block* block = blocks_.Find(page);
  const int error = mover_.BringIn(block, page, write);
  if (error == EFAULT) return false;
  if (error != 0) DieOfTier(*block, blocks_.tier(block->place.tier), error);
  step_.fault_waits.Add(gettid(), session::NowNs() - begin_ns);
  return true;
}

void Job::OpenPage(char* page) {
  MutexLock lock(&mutex_);
  mover_.OpenPage(blocks_.Find(page), page);
}

}  // namespace stowage::runtime
