#include "client_sdk/runtime/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <utility>

#include "client_sdk/runtime/job_lock.h"
#include "client_sdk/runtime/tier_copy.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/hash.h"

namespace stowage::runtime {
namespace {

// Allocations outside of any operator count as kernels of this name.
constexpr std::string_view kLooseAllocation = "stowage::allocate";
constexpr uint64_t kLooseAllocationKey = 1;

}  // namespace

Job::Job(SessionClient* client, const StorageAccess& storage,
         const JobSettings& settings)
    : client_(client),
      blocks_(&client->tiers(), storage),
      mover_(client, &blocks_),
      evictor_(&blocks_, &mover_, &client->segment()->report),
      space_(client, &blocks_, &mover_, &evictor_),
      demand_(&blocks_, &mover_, &evictor_),
      pinned_(&blocks_, &mover_, &evictor_, &space_),
      driver_(&blocks_, &mover_, &evictor_, &client->segment()->report),
      publisher_(client, &blocks_, &mover_),
      hints_(client->segment(), &blocks_, &mover_, driver_.tensors(),
             &publisher_),
      plans_(client, &publisher_, settings) {
  BeginStep();
}

Block* Job::BlockOf(void* context, bool parameter) {
  Lock lock(this);
  Block* block = blocks_.Adopt(context);
  if (block != nullptr) block->parameter = block->parameter || parameter;
  return block;
}

void Job::EnterKernel(RunningKernel* kernel) {
  if (kernel->index >= 0 && kernel->step == step_.index) return;
  const int64_t now_ns =
      kernel->start_ns != 0 ? kernel->start_ns : session::NowNs();
  kernel->index =
      step_.profile.AddKernel(kernel->key, kernel->name,
                              std::max<int64_t>(0, now_ns - step_.last_end_ns));
  kernel->step = step_.index;
  kernel->ordinal = 0;
  kernel->faults_before_ns = mover_.fault_ns();
  blocks_.AdvanceClock();
  space_.FollowUnmanaged();
  if (step_.mode == StepMode::kPlan) LeavePlanOn(driver_.BeginKernel(*kernel));
}

// Demand mode goes on, with whatever is where, and hints if there are any.
void Job::LeavePlanOn(std::optional<Surprise> surprise) {
  if (!surprise.has_value()) return;
  step_.surprise = std::move(surprise);
  ++step_.fallbacks;
  plans_.library()->NoteSurprise(*driver_.plan());
  hints_.Begin(*driver_.plan());
  driver_.Leave();
  step_.On(StepEvent::kSurprise);
}

void Job::FollowHints(const RunningKernel& kernel) {
  hints_.Follow(kernel);
  NoteGuidance();
}

void Job::NoteGuidance() {
  if (hints_.plan() == nullptr) step_.On(StepEvent::kGuidanceEnds);
}

// Every kernel passes here with every operand.
void Job::Use(RunningKernel* kernel, const KernelOperand& operand) {
  blocks_.NoteWrite(operand);
  blocks_.BeginUse(operand.block);
  kernel->in_use.push_back(operand.block);
}

void Job::Unuse(RunningKernel* kernel) {
  for (Block* block : kernel->in_use) {
    const bool in_file = !blocks_.tier(block->place.tier).addressable();
    if (in_file && !block->dead) mover_.ReleaseFromWindow(*block);
    blocks_.EndUse(block);
  }
  kernel->in_use.clear();
}

void Job::BeginKernel(RunningKernel* kernel,
                      const std::vector<KernelOperand>& operands) {
  kernel->start_ns = session::NowNs();
  if (operands.empty()) return;
  Lock lock(this);
  if (kernel->auxiliary) return UseInPlace(kernel, operands);
  EnterKernel(kernel);
  kernel->shape = kernel->key;
  for (const KernelOperand& operand : operands) {
    // Outside of a plan, an operand that is on its way in arrives, and one on
    // its way out stays.
    if (step_.mode != StepMode::kPlan && operand.block->moving()) {
      const bool comes = operand.block->move->to.tier == session::kFastTier;
      mover_.Finish(operand.block, /*adopt=*/comes);
    }
    Use(kernel, operand);
    kernel->shape = session::HashMix(kernel->shape, operand.block->size_bytes);
    step_.profile.AddOperand(kernel->index, operand);
    kernel->working_bytes += operand.block->room_bytes();
  }
  space_.FollowPeak(step_.index, blocks_.tensor_bytes(), kernel->working_bytes);
  try {
    PlaceOperands(kernel, operands);
    if (step_.mode == StepMode::kGuided) FollowHints(*kernel);
  } catch (...) {
    Unuse(kernel);
    throw;
  }
  kernel->start_ns = session::NowNs();
}

void Job::PlaceOperands(RunningKernel* kernel,
                        const std::vector<KernelOperand>& operands) {
  bool streams = false;
  if (step_.mode == StepMode::kPlan) {
    LeavePlanOn(driver_.CheckOperands(*kernel, operands));
  }
  if (step_.mode != StepMode::kPlan) {
    streams = demand_.FetchOperands(*kernel, operands, space_.tensor_bytes());
  }
  for (const KernelOperand& operand : operands) {
    const int tier = operand.block->place.tier;
    if (tier == session::kFastTier) continue;
    kernel->NoteSlowUse(operand);
    streams = streams || !blocks_.tier(tier).addressable();
  }
  if (streams) ExtendWindow(kernel);
}

// Gives a kernel that streams all the fast memory that it does not need
// otherwise; the window that is set aside would do, but slowly. Under a plan it
// is the room that the plan keeps free for this.
void Job::ExtendWindow(RunningKernel* kernel) {
  const bool extended =
      step_.mode == StepMode::kPlan
          ? space_.ExtendWindowTo(driver_.plan()->stream_window_bytes,
                                  pinned_.plan_above_bytes())
          : space_.ExtendWindow(demand_.LargestBirth(*kernel));
  kernel->extends_window = kernel->extends_window || extended;
}

// A copy that is under way must not see its source change, so it comes first.
void Job::UseInPlace(RunningKernel* kernel,
                     const std::vector<KernelOperand>& operands) {
  for (const KernelOperand& operand : operands) {
    Block* block = operand.block;
    if (block->moving() && (operand.flags & session::kOperandWrite)) {
      mover_.Finish(block);
    }
    Use(kernel, operand);
  }
}

void Job::EndKernel(RunningKernel* kernel,
                    const std::vector<KernelOperand>& outputs) {
  const bool known = kernel->index >= 0 || !kernel->in_use.empty();
  if (!known && outputs.empty()) return;
  Lock lock(this);
  for (const KernelOperand& output : outputs) blocks_.NoteWrite(output);
  if (!known || kernel->auxiliary) return Unuse(kernel);
  // A step that ended meanwhile has another profile.
  const bool same_step = kernel->step == step_.index;
  for (const KernelOperand& output : outputs) {
    blocks_.Touch(output.block);
    if (same_step) step_.profile.AddOperand(kernel->index, output);
  }
  const int64_t end_ns = session::NowNs();
  // An emulated medium: the kernel takes as much longer as the real one would
  // make it.
  SpendNs(kernel->SlowTimeNs(client_->tiers()));
  if (same_step) {
    const int64_t faults_ns = mover_.fault_ns() - kernel->faults_before_ns;
    const int64_t duration_ns =
        end_ns - kernel->start_ns - kernel->moved_ns - faults_ns;
    // Faults of another thread's kernel may be among them.
    step_.profile.EndKernel(kernel->index, std::max<int64_t>(0, duration_ns),
                            kernel->flops, kernel->slow_operands);
  }
  Unuse(kernel);
  if (kernel->extends_window) space_.EndExtension();
  mover_.CountStreamedBytes();
  step_.last_end_ns = session::NowNs();
}

void* Job::Allocate(RunningKernel* kernel, int64_t size_bytes) {
  Lock lock(this);
  RunningKernel loose{.key = kLooseAllocationKey, .name = kLooseAllocation};
  if (kernel == nullptr) kernel = &loose;
  const int64_t stall_before_ns = mover_.totals().stall_ns;
  EnterKernel(kernel);

  std::unique_ptr<Block> block = blocks_.New(size_bytes);
  block->backward = kernel->backward;
  block->birth_step = step_.index;
  block->birth_tag = step_.tagger.Next(kernel->key, size_bytes);
  kernel->working_bytes += block->room_bytes();
  space_.FollowPeak(step_.index, blocks_.tensor_bytes() + size_bytes,
                    kernel->working_bytes);
  if (!space_.Admits(*block, step_.index)) return nullptr;
  demand_.NoteBirth(*kernel, *block);
  PlaceNew(*kernel, block.get());
  if (block->place.tier != session::kFastTier) {
    kernel->NoteSlowBirth(*block);
    const bool in_file = !blocks_.tier(block->place.tier).addressable();
    if (in_file && kernel != &loose) ExtendWindow(kernel);
  }
  step_.profile.AddBirth(kernel->index, kernel->ordinal++, block.get());
  kernel->moved_ns += mover_.totals().stall_ns - stall_before_ns;
  if (kernel == &loose) step_.last_end_ns = session::NowNs();
  return blocks_.AddressOf(blocks_.Add(std::move(block))->place);
}

void Job::PlaceNew(const RunningKernel& kernel, Block* block) {
  if (step_.mode == StepMode::kPlan) {
    LeavePlanOn(driver_.PlaceNew(kernel, block));
  }
  if (step_.mode == StepMode::kPlan) return;
  if (step_.mode == StepMode::kGuided) FollowHints(kernel);
  bool placed = false;
  if (step_.mode == StepMode::kGuided) {
    placed = hints_.PlaceNew(kernel, block);
    NoteGuidance();
  }
  if (!placed) demand_.PlaceNew(block);
}

bool Job::Free(void* address) {
  if (!Manages(address)) return false;
  if (Lock::Held()) {
    if (Block* block = blocks_.Find(address)) blocks_.Defer(block);
    return true;
  }
  Lock lock(this);
  if (Block* block = blocks_.Find(address)) Die(block);
  return true;
}

void Job::Die(Block* block) {
  mover_.Abandon(block);
  LeaveStep(block);
  blocks_.Remove(block);
}

// For the profile and the plan of the step it is dead.
void Job::LeaveStep(Block* block) {
  step_.profile.AddDeath(*block);
  block->profile_index = -1;
  driver_.tensors()->Forget(block);
}

void Job::Pin(void* context) {
  if (!Manages(blocks_.StorageAddress(context))) return;
  Lock lock(this);
  // It may just have moved.
  Block* block = blocks_.Find(blocks_.StorageAddress(context));
  if (block == nullptr || block->pinned) return;
  if (block->moving()) mover_.Finish(block);
  blocks_.GiveUpKept(block);  // what is written from here on is not seen
  if (blocks_.Movable(*block)) SetAside(block);
  blocks_.MarkPinned(block);
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

bool Job::HandleFault(void* address) {
  if (Lock::Held() || !Manages(address)) return false;
  std::lock_guard<std::mutex> guard(mutex_);
  Block* block = blocks_.Find(address);
  if (block == nullptr || blocks_.tier(block->place.tier).addressable()) {
    return false;
  }
  const int error = mover_.Fault(*block, static_cast<char*>(address));
  if (error != 0) {
    fprintf(
        stderr,
        "stowage: the slow tier %s failed while a tensor was read in place: "
        "%s; the job cannot go on\n",
        client_->tiers()[block->place.tier].info.name, strerror(error));
    abort();
  }
  return true;
}

void Job::LockForFork() { mutex_.lock(); }

void Job::UnlockAfterFork() { mutex_.unlock(); }

int Job::ReadBlock(const Block& block, void* memory) {
  return mover_.Read(block, memory);
}

}  // namespace stowage::runtime
