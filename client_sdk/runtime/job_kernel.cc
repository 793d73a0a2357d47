// Kernels: their operands are in place when they begin, and stay there.
#include <optional>
#include <string>
#include <utility>

#include "client_sdk/runtime/blocks/tier_copy.h"
#include "client_sdk/runtime/job.h"
#include "client_sdk/runtime/job_lock.h"
#include "client_sdk/runtime/process/signal_stack.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/hash.h"

namespace stowage::runtime {
namespace {

Surprise NoWindow(const RunningKernel& kernel) {
  return {SurpriseReason::kRoomTaken, kernel.index,
          std::string(kernel.name) +
              " streams, and the room of its window is taken"};
}

}  // namespace

void Job::EnterKernel(RunningKernel* kernel) {
  if (step_.Has(*kernel)) return;
  const bool began = kernel->start_ns != 0;
  step_.Enter(kernel, began ? kernel->start_ns : session::NowNs(),
              mover_.totals().stall_ns());
  kernel->earlier_stall_ns = mover_.totals().stall_ns();
  kernel->earlier_copied = mover_.CopiedNs(session::NowNs());
  blocks_.AdvanceClock();
  space_.FollowUnmanaged();
  if (step_.mode == StepMode::kPlan) EnterPlanned(*kernel);
}

void Job::EnterPlanned(const RunningKernel& kernel) {
  std::optional<Surprise> surprise = driver_.BeginKernel(kernel);
  if (surprise.has_value() &&
      surprise->reason == SurpriseReason::kKernelSequence &&
      ChangePlan(
          {.signature = step_.profile.signature(), .kernel = kernel.index})) {
    surprise = driver_.BeginKernel(kernel);
  }
  LeavePlanOn(std::move(surprise));
}

// Every kernel passes here with every operand.
void Job::Use(RunningKernel* kernel, const KernelOperand& operand) {
  blocks_.NoteWrite(operand);
  blocks_.BeginUse(operand.block);
  kernel->in_use.push_back(operand.block);
}

bool Job::InFile(const Block& block) const {
  return !blocks_.tier(block.place.tier).addressable();
}

void Job::Unuse(RunningKernel* kernel) {
  for (Block* block : kernel->in_use) {
    if (InFile(*block) && !block->dead) mover_.Release(block);
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
  has_trained_ = has_trained_ || kernel->backward;
  kernel->shape = kernel->key;
  if (step_.mode != StepMode::kPlan) fetches_.NoteUses(operands);
  for (const KernelOperand& operand : operands) {
    // Outside of a plan, an operand that is on its way in arrives, and one on
    // its way out stays.
    if (step_.mode != StepMode::kPlan && operand.block->moving()) {
      EndMoveOf(operand);
    }
    Use(kernel, operand);
    kernel->shape = session::HashMix(kernel->shape, operand.block->size_bytes);
    step_.profile.AddOperand(kernel->index, operand);
    kernel->working_bytes += operand.block->room_bytes();
  }
  space_.FollowPeak(step_.index, blocks_.tensor_bytes(), kernel->working_bytes);
  try {
    PlaceOperands(kernel, operands);
    if (step_.mode == StepMode::kGuided) {
      hints_.Follow(*kernel);
      NoteGuidance();
    }
  } catch (...) {
    Unuse(kernel);
    throw;
  }
  kernel->start_ns = session::NowNs();
  kernel->earlier_copied = mover_.CopiedNs(kernel->start_ns);
}

// A kernel that only reads its operand may do so beside a copy.
void Job::EndMoveOf(const KernelOperand& operand) {
  const MoveUnderWay& move = *operand.block->move;
  const bool writes = operand.flags & session::kOperandWrite;
  if (move.stays && !writes) return;
  const bool comes = move.to.tier == session::kFastTier;
  mover_.Finish(operand.block, /*adopt=*/comes);
}

void Job::PlaceOperands(RunningKernel* kernel,
                        const std::vector<KernelOperand>& operands) {
  bool streams = false;
  if (step_.mode == StepMode::kPlan) {
    LeavePlanOn(driver_.CheckOperands(*kernel, operands));
  }
  if (step_.mode != StepMode::kPlan) {
    streams = demand_.FetchOperands(*kernel, operands, space_.tensor_bytes());
    mover_.FinishAhead(/*wait=*/false);
    fetches_.Begin();
    copies_.Follow();
    mover_.Submit();
  }
  for (const KernelOperand& operand : operands) {
    const int tier = operand.block->place.tier;
    if (tier == session::kFastTier) continue;
    kernel->NoteSlowUse(operand);
    if (blocks_.tier(tier).addressable()) continue;
    streams = true;
    kernel->NoteStreaming(operand);
    step_.profile.NoteStreamed(kernel->index, *operand.block);
    mover_.BeginStreaming(operand.block);
  }
  if (!streams) return;
  UseSignalStack();
  ExtendWindow(kernel);
}

// Gives a kernel that streams all the fast memory that it does not need
// otherwise. In the window that is set aside a kernel that goes down columns may
// wait for the file at every few bytes. So a plan whose room for this is taken
// does not drive on if there is no other.
void Job::ExtendWindow(RunningKernel* kernel) {
  if (space_.extends_window()) return;
  mover_.window()->Expect(kernel->shape);
  bool extended = false;
  if (step_.mode == StepMode::kPlan) {
    const auto window = driver_.WindowOf(*kernel);
    extended = (window.has_value() &&
                space_.ExtendWindowAt(window->offset_bytes, window->bytes)) ||
               ExtendWindowIntoHole(*kernel);
    if (window.has_value() && !extended) LeavePlanOn(NoWindow(*kernel));
  }
  if (step_.mode != StepMode::kPlan) {
    extended = space_.ExtendWindow(
        demand_.RoomForBirths(*kernel, space_.tensor_bytes()));
  }
  kernel->extends_window = extended;
}

bool Job::ExtendWindowIntoHole(const RunningKernel& kernel) {
  bool extended = false;
  driver_.BesideBirths(kernel, [&] {
    mutex_.AssertHeld();
    extended = space_.ExtendWindowIntoHole();
  });
  return extended;
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

void Job::ProfileOutput(const RunningKernel& kernel,
                        const KernelOperand& output) {
  step_.profile.AddOperand(kernel.index, output);
  if (!InFile(*output.block)) return;
  step_.profile.NoteStreamed(kernel.index, *output.block);
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
    if (same_step) ProfileOutput(*kernel, output);
  }
  const int64_t end_ns = session::NowNs();
  // An emulated medium: the kernel takes as much longer as the real one would
  // make it.
  const int64_t emulated_ns = kernel->SlowTimeNs(blocks_.tiers());
  SpendNs(emulated_ns);
  const int64_t window_read_bytes = mover_.window()->read_bytes();
  if (step_.mode != StepMode::kPlan) {
    demand_.NoteStreaming(*kernel, window_read_bytes);
  }
  if (same_step) {
    step_.End(*kernel, {.end_ns = end_ns,
                        .stall_ns = mover_.totals().stall_ns() -
                                    kernel->earlier_stall_ns,
                        .copied = mover_.CopiedNs(end_ns),
                        .window_bytes = mover_.window()->size_bytes(),
                        .window_read_bytes = window_read_bytes});
    step_.times.emulated_ns += emulated_ns;
  }
  Unuse(kernel);
  for (const KernelOperand& output : outputs) {
    if (InFile(*output.block)) mover_.Release(output.block);
  }
  if (kernel->extends_window) space_.EndExtension();
  mover_.CountStreamedBytes();
  step_.BeginGap(session::NowNs(), mover_.totals().stall_ns());
}

}  // namespace stowage::runtime
