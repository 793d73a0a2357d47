#include "client_sdk/runtime/placing/plan_driver.h"

#include <string>

#include "client_sdk/runtime/connection/report_log.h"
#include "client_sdk/runtime/placing/relayout.h"

namespace stowage::runtime {
namespace {

Surprise NoRoom(const RunningKernel& kernel, int tier) {
  if (tier != session::kFastTier) {
    return {SurpriseReason::kSlowTierFull, kernel.index,
            "no room for a new tensor"};
  }
  return {SurpriseReason::kRoomTaken, kernel.index,
          "a tensor outlived the plan's expectation, or cannot move"};
}

}  // namespace

PlanDriver::PlanDriver(PlacedBlocks* blocks, Mover* mover, Evictor* evictor,
                       session::Report* report)
    : blocks_(blocks),
      mover_(mover),
      evictor_(evictor),
      report_(report),
      tensors_(blocks),
      strangers_(blocks, mover, evictor, &tensors_),
      moves_(blocks, mover, &tensors_, &strangers_) {}

bool PlanDriver::Start(const PlanTable& plan,
                       const std::vector<PlanTarget>& targets,
                       int64_t plan_begin_bytes) {
  if (!Arrange(targets)) return false;
  blocks_->GiveUpAllKept();
  running_ = {&plan, plan_begin_bytes, blocks_->clock() + 1};
  moves_.Begin(plan, plan_begin_bytes);
  return true;
}

void PlanDriver::Resume(const PlanTable& plan,
                        const std::vector<PlanTarget>& targets,
                        int64_t plan_begin_bytes, int32_t boundary) {
  ClearFast(targets);
  for (const PlanTarget& target : targets) {
    const bool fast = target.place.tier == session::kFastTier;
    if (fast && TakePlace(target)) mover_->MoveNow(target.block, target.place);
  }
  blocks_->GiveUpAllKept();
  running_.plan = &plan;
  running_.begin_bytes = plan_begin_bytes;
  moves_.Begin(plan, plan_begin_bytes, boundary);
}

bool PlanDriver::Arrange(const std::vector<PlanTarget>& targets) {
  ClearFast(targets);
  for (const PlanTarget& target : targets) {
    if (!Bring(target)) return false;
  }
  return true;
}

// Makes room for the layout: tensors of the plan that stand elsewhere in the
// fast tier go to their place, or leave. What cannot move stays; if it is in
// the way, an allocation will find out.
void PlanDriver::ClearFast(const std::vector<PlanTarget>& targets) {
  std::vector<PlanTarget> misplaced;
  for (const PlanTarget& target : targets) {
    const auto& [block, place] = target;
    if (block->place.tier != session::kFastTier || block->place == place ||
        !blocks_->Movable(*block)) {
      continue;
    }
    if (place.tier == session::kFastTier) {
      misplaced.push_back(target);
    } else {
      evictor_->Evict(block);
    }
  }
  Relayout(blocks_, mover_, evictor_).Make(misplaced);
}

bool PlanDriver::Bring(const PlanTarget& target) {
  Block* block = target.block;
  const bool is_fast = block->place.tier == session::kFastTier;
  if (target.place.tier != session::kFastTier) {
    return !is_fast;  // else it could not leave
  }
  if (block->place == target.place) return true;
  if (!TakePlace(target)) {
    ReportEvent(report_, "layout-taken",
                "a tensor that cannot move is in the way");
    return false;
  }
  return mover_->MoveNow(block, target.place) == 0;
}

// Takes the fast room of a tensor that is to be brought there.
bool PlanDriver::TakePlace(const PlanTarget& target) {
  return target.block->place.tier != session::kFastTier &&
         blocks_->Movable(*target.block) &&
         strangers_.TakeRoom(target.place, target.block).has_value();
}

std::optional<Surprise> PlanDriver::BeginKernel(const RunningKernel& kernel) {
  if (running_.plan->Expects(kernel.index, kernel.key)) {
    return moves_.Pass(kernel.index);
  }
  return Surprise{SurpriseReason::kKernelSequence, kernel.index,
                  std::string(kernel.name)};
}

std::optional<Surprise> PlanDriver::CheckOperands(
    const RunningKernel& kernel, const std::vector<KernelOperand>& operands) {
  for (const KernelOperand& operand : operands) {
    Block* block = operand.block;
    // A copy that is under way must not see its source change.
    if (block->moving() && (operand.flags & session::kOperandWrite)) {
      return Surprise{SurpriseReason::kWrittenWhileMoving, kernel.index,
                      std::string(kernel.name)};
    }
    strangers_.ClearWay(running_, kernel.index, block);
    if (Usable(kernel, *block)) continue;
    if (strangers_.Fetch(running_, kernel.index, block)) continue;
    return Surprise{
        SurpriseReason::kOperandNotResident, kernel.index,
        std::string(kernel.name) + " needs a tensor of " +
            std::to_string(block->size_bytes) + " bytes that the plan " +
            (block->tensor < 0 ? "does not know" : "has elsewhere")};
  }
  return std::nullopt;
}

bool PlanDriver::Usable(const RunningKernel& kernel, const Block& block) const {
  return block.place.tier == session::kFastTier ||
         blocks_->tier(block.place.tier).addressable() ||
         (block.tensor >= 0 &&
          running_.plan->Streams(kernel.index, block.tensor));
}

std::optional<PlanDriver::Window> PlanDriver::WindowOf(
    const RunningKernel& kernel) const {
  const session::PlanStream* stream = running_.plan->FirstStream(kernel.index);
  if (stream == nullptr || stream->window_bytes == 0) return std::nullopt;
  return Window{running_.begin_bytes + stream->window_offset_bytes,
                stream->window_bytes};
}

std::optional<Surprise> PlanDriver::PlaceNew(const RunningKernel& kernel,
                                             Block* block) {
  const session::PlanAllocation* planned =
      running_.plan->Allocation(kernel.index, kernel.ordinal);
  if (planned == nullptr || planned->size_bytes != block->size_bytes) {
    return Surprise{SurpriseReason::kAllocationSequence, kernel.index,
                    std::string(kernel.name) + " allocates " +
                        std::to_string(block->size_bytes) + " bytes"};
  }
  const std::optional<Place> room = strangers_.TakeRoomOrHole(
      PlannedPlace(planned->tier, planned->offset_bytes, running_.begin_bytes),
      block);
  if (!room.has_value()) return NoRoom(kernel, planned->tier);
  block->place = *room;
  tensors_.Name(block, planned->tensor);
  return std::nullopt;
}

std::optional<Surprise> PlanDriver::EndStep(int32_t kernel_count) {
  const auto planned = static_cast<int32_t>(running_.plan->kernels.size());
  if (kernel_count == planned) return moves_.Pass(planned);
  return Surprise{SurpriseReason::kStepEndedEarly, kernel_count,
                  "fewer kernels than in the profiled step"};
}

void PlanDriver::Leave() {
  running_.plan = nullptr;
  blocks_->GiveUpAllKept();
  moves_.Settle();
}

}  // namespace stowage::runtime
