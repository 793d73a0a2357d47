// A step under a plan: allocations go where the table says, moves start and end
// at the boundaries it lists (see proto/stowage/v1/plan.proto). Offsets in slow
// tiers are wishes: only fast memory is scarce. Whatever the plan did not
// foresee ends plan mode for the rest of the step.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client_sdk/runtime/job.h"
#include "client_sdk/session/clock.h"

namespace stowage::runtime {
// Brings the blocks that are alive to where the plan wants them; false if they
// cannot be.
bool Job::StartPlan(const PlanTable& plan, const std::vector<Target>& targets) {
  space_.TouchUpTo(pinned_.plan_begin_bytes() + plan.fast_end_bytes);
  if (!Arrange(targets)) return false;
  plan_ = step_plan_ = &plan;
  next_move_ = 0;
  next_deadline_ = 0;
  return true;
}

// Finds the blocks of the tensors that are alive when the step begins: by
// identity, or by where the step before gave birth to them. Some may be gone
// for good, such as what the first step left: the plan goes without them.
void Job::NameTensors(const PlanTable& plan, std::vector<Target>* targets) {
  tensors_.assign(plan.tensor_count, nullptr);
  for (Block* block : blocks_.all()) {
    block->tensor = -1;
    if (block->set_aside) continue;
    auto index = plan.initial_by_block.find(block->id);
    if (index == plan.initial_by_block.end()) {
      if (block->birth_step != step_ - 1) continue;
      index = plan.initial_by_tag.find(block->birth_tag);
      if (index == plan.initial_by_tag.end()) continue;
    }
    const session::PlanInitial& initial = plan.initial[index->second];
    if (block->size_bytes != initial.size_bytes ||
        tensors_[initial.tensor] != nullptr) {
      continue;
    }
    tensors_[initial.tensor] = block;
    block->tensor = initial.tensor;
    const bool fast = initial.tier == session::kFastTier;
    targets->push_back(
        {block,
         {initial.tier,
          initial.offset_bytes + (fast ? pinned_.plan_begin_bytes() : 0)}});
  }
}

bool Job::Arrange(const std::vector<Target>& targets) {
  ClearFast(targets);
  for (const Target& target : targets) {
    Block* block = target.block;
    const bool in_place = target.place.tier == session::kFastTier
                              ? block->place == target.place
                              : block->place.tier == target.place.tier;
    if (in_place) continue;
    if (target.place.tier == session::kFastTier) {
      if (!blocks_.Movable(*block) || block->place.tier == session::kFastTier ||
          !TakeFastRoom(target.place, block)) {
        ReportEvent(report(), "layout-taken",
                    "a tensor that cannot move is in the way");
        return false;
      }
      if (mover_.MoveNow(block, target.place) != 0) return false;
    } else if (block->place.tier == session::kFastTier) {
      return false;  // it cannot leave
    }
  }
  return true;
}

// Makes room for the initial layout: tensors of the plan that stand elsewhere
// in the fast tier go to their place, or leave. What cannot move stays; if it
// is in the way, an allocation will find out.
void Job::ClearFast(const std::vector<Target>& targets) {
  std::vector<Target> misplaced;
  for (const Target& target : targets) {
    if (target.block->place.tier == session::kFastTier &&
        target.block->place != target.place && blocks_.Movable(*target.block)) {
      misplaced.push_back(target);
    }
  }
  for (const auto& [block, place] : misplaced) {
    if (place.tier == session::kFastTier && TakeFastRoom(place, block)) {
      mover_.MoveNow(block, place);
    } else {
      evictor_.Evict(block);
    }
  }
}

// Takes the room that the plan names. Tensors that the plan does not know may
// stand there, in gaps that it left: they leave.
bool Job::TakeFastRoom(Place place, Block* block) {
  if (blocks_.TakeRoomAt(place, block)) return true;
  std::vector<Block*> strangers;
  const int64_t begin_bytes = place.offset_bytes;
  const int64_t end_bytes = begin_bytes + block->room_bytes();
  const Arena::Extents& used = blocks_.fast().used();
  auto extent = used.upper_bound(begin_bytes);
  if (extent != used.begin()) --extent;
  for (; extent != used.end() && extent->first < end_bytes; ++extent) {
    if (extent->first + extent->second.size_bytes <= begin_bytes) continue;
    Block* stranger = extent->second.block;
    if (stranger->tensor >= 0 || !blocks_.Movable(*stranger)) return false;
    strangers.push_back(stranger);
  }
  for (Block* stranger : strangers) evictor_.Evict(stranger);
  return blocks_.TakeRoomAt(place, block);
}

// A tensor that the plan does not expect here, such as another batch of input,
// takes the part of the one that it stands in for; where there is none, it is
// fetched into a gap that the plan leaves just now.
bool Job::FetchStranger(Block* block) {
  if (block->storage == nullptr || block->pinned || block->moving() ||
      block->users != 1) {
    return false;
  }
  if (block->tensor >= 0) tensors_[block->tensor] = nullptr;
  block->tensor = -1;
  Block* absent = FindAbsentTwin(*block);
  if (absent == nullptr) {
    const auto room = blocks_.TakeRoom(session::kFastTier, block);
    return room.has_value() && mover_.MoveNow(block, *room) == 0;
  }
  const Place place = absent->place;
  evictor_.Evict(absent);
  std::swap(block->tensor, absent->tensor);
  tensors_[block->tensor] = block;
  return blocks_.TakeRoomAt(place, block) && mover_.MoveNow(block, place) == 0;
}

// A tensor of the plan that is as large, was alive when the step began and has
// not been used since: the profiled step's batch, most likely.
Block* Job::FindAbsentTwin(const Block& stranger) const {
  for (const session::PlanInitial& initial : plan_->initial) {
    Block* block = tensors_[initial.tensor];
    if (block != nullptr && block->size_bytes == stranger.size_bytes &&
        block->place.tier == session::kFastTier && !block->parameter &&
        block->last_use < totals_.first_kernel && blocks_.Movable(*block)) {
      return block;
    }
  }
  return nullptr;
}

// Boundary `kernel`: before that kernel, or the end of the step.
void Job::PlanBoundary(int32_t kernel) {
  AwaitMovesDue(kernel);
  if (plan_ != nullptr) StartMoves(kernel);
}

void Job::AwaitMovesDue(int32_t kernel) {
  for (; next_deadline_ < plan_->moves_by_deadline.size(); ++next_deadline_) {
    const session::PlanMove& move =
        plan_->moves[plan_->moves_by_deadline[next_deadline_]];
    if (move.deadline_kernel > kernel) return;
    if (move.start_kernel == move.deadline_kernel)
      continue;  // StartMoves waits
    Block* block = tensors_[move.tensor];
    if (block == nullptr || !block->moving()) continue;
    if (!mover_.Finish(block)) {
      Surprise("move-failed", "the slow tier reported an error", kernel);
      return;
    }
  }
}

// Synchronous moves of one direction are issued together before any is waited
// for, so that the agent sees which are neighbours. Drops wait for nothing.
void Job::StartMoves(int32_t kernel) {
  std::vector<Block*> awaited;
  std::pair<int32_t, int32_t> awaited_tiers;
  const auto finish = [&] {
    bool finished = true;
    for (Block* block : awaited) finished = mover_.Finish(block) && finished;
    awaited.clear();
    if (!finished) {
      Surprise("move-failed", "the slow tier reported an error", kernel);
    }
    return finished;
  };
  for (; next_move_ < plan_->moves.size(); ++next_move_) {
    const session::PlanMove& move = plan_->moves[next_move_];
    if (move.start_kernel > kernel) break;
    const std::pair<int32_t, int32_t> tiers(move.from_tier, move.to_tier);
    const bool synchronous = move.start_kernel == move.deadline_kernel;
    Block* block = tensors_[move.tensor];
    if (block == nullptr) continue;  // freed earlier than usual
    const bool drops = move.flags & session::kMoveIsDrop;
    if (drops && blocks_.Movable(*block) && blocks_.ReturnToKept(block))
      continue;
    if (!synchronous || tiers != awaited_tiers) {
      if (!finish()) return;
    }
    if (!StartMove(move)) {
      Surprise("move-impossible", "a tensor is not where the plan expects it",
               kernel);
      return;
    }
    if (!synchronous || !block->moving()) continue;
    awaited.push_back(block);
    awaited_tiers = tiers;
  }
  finish();
}

bool Job::StartMove(const session::PlanMove& move) {
  Block* block = tensors_[move.tensor];
  if (block->place.tier == move.to_tier) return true;  // it left before
  if (block->place.tier != move.from_tier || !blocks_.Movable(*block))
    return false;
  Place to{move.to_tier, move.to_offset_bytes};
  if (to.tier == session::kFastTier) {
    to.offset_bytes += pinned_.plan_begin_bytes();
    if (!TakeFastRoom(to, block)) return false;
  } else {
    const std::optional<Place> room = blocks_.TakeRoomNear(to, block);
    if (!room.has_value()) return false;
    to = *room;
  }
  return mover_.Begin(block, to, move.flags & session::kMoveKeepsSource);
}

bool Job::PlaceByPlan(RunningKernel* kernel, Block* block) {
  const session::PlanAllocation* planned =
      plan_->Allocation(kernel->index, kernel->ordinal);
  if (planned == nullptr || planned->size_bytes != block->size_bytes) {
    Surprise("allocation-sequence",
             std::string(kernel->name) + " allocates " +
                 std::to_string(block->size_bytes) + " bytes",
             kernel->index);
    return false;
  }
  Place place{planned->tier, planned->offset_bytes};
  if (place.tier == session::kFastTier) {
    place.offset_bytes += pinned_.plan_begin_bytes();
    if (!TakeFastRoom(place, block)) {
      Surprise("room-taken",
               "a tensor outlived the plan's expectation, or cannot move",
               kernel->index);
      return false;
    }
  } else {
    const std::optional<Place> room = blocks_.TakeRoomNear(place, block);
    if (!room.has_value()) {
      Surprise("slow-tier-full", "no room for a new tensor", kernel->index);
      return false;
    }
    place = *room;
  }
  block->place = place;
  tensors_[planned->tensor] = block;
  block->tensor = planned->tensor;
  return true;
}

void Job::CheckPlanOperands(const RunningKernel& kernel,
                            const std::vector<KernelOperand>& operands) {
  for (const KernelOperand& operand : operands) {
    Block* block = operand.block;
    // A copy that is under way must not see the source change.
    if (block->moving() && (operand.flags & session::kOperandWrite)) {
      Surprise("written-while-moving", kernel.name, kernel.index);
      return;
    }
    if (block->place.tier == session::kFastTier) continue;
    const bool usable =
        client_->tiers()[block->place.tier].addressable() ||
        (block->tensor >= 0 && plan_->Streams(kernel.index, block->tensor));
    if (!usable && !FetchStranger(block)) {
      Surprise("operand-not-resident",
               std::string(kernel.name) + " needs a tensor of " +
                   std::to_string(block->size_bytes) + " bytes that the plan " +
                   (block->tensor < 0 ? "does not know" : "has elsewhere"),
               kernel.index);
      return;
    }
  }
}

void Job::Surprise(std::string_view reason, std::string_view detail,
                   int32_t kernel) {
  surprise_ = {std::string(reason), std::string(detail), kernel};
  ++totals_.fallbacks;
  plans_.NoteSurprise(*plan_);
  guide_ = {.plan = plan_};
  plan_ = nullptr;
  blocks_.GiveUpAllKept();
  SettleMoves();
}

// Waits for every move under way. One that failed leaves its block where it
// was.
void Job::SettleMoves() {
  for (Block* block : tensors_) {
    if (block != nullptr && block->moving()) mover_.Finish(block);
  }
}

}  // namespace stowage::runtime
