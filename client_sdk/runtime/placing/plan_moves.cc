#include "client_sdk/runtime/placing/plan_moves.h"

#include <utility>
#include <vector>

#include "client_sdk/session/clock.h"

namespace stowage::runtime {
namespace {

bool Awaited(const session::PlanMove& move) {
  return move.start_kernel == move.deadline_kernel;
}

}  // namespace

// Moves of one direction that are awaited together.
struct PlanMoves::Batch {
  std::pair<int32_t, int32_t> tiers;
  std::vector<Block*> blocks;
};

void PlanMoves::Begin(const PlanTable& plan, int64_t plan_begin_bytes,
                      int32_t boundary) {
  plan_ = &plan;
  first_boundary_ = boundary;
  plan_begin_bytes_ = plan_begin_bytes;
  next_move_ = 0;
  next_deadline_ = 0;
}

std::optional<Surprise> PlanMoves::Pass(int32_t kernel) {
  if (std::optional<Surprise> surprise = EndDue(kernel)) return surprise;
  return BeginAt(kernel);
}

std::optional<Surprise> PlanMoves::EndDue(int32_t kernel) {
  for (; next_deadline_ < plan_->moves_by_deadline.size(); ++next_deadline_) {
    const session::PlanMove& move =
        plan_->moves[plan_->moves_by_deadline[next_deadline_]];
    if (move.deadline_kernel > kernel) break;
    if (Awaited(move)) continue;  // BeginAt() waits
    Block* block = tensors_->at(move.tensor);
    if (block == nullptr || !block->moving()) continue;
    if (auto surprise = Finish(block, kernel)) return surprise;
  }
  return std::nullopt;
}

// A kernel of another thread may use the tensor.
std::optional<Surprise> PlanMoves::Finish(Block* block, int32_t kernel) {
  const bool in_use = block->users > 0;
  if (mover_->Finish(block)) return std::nullopt;
  if (in_use) {
    return Surprise{SurpriseReason::kMoveImpossible, kernel,
                    "a tensor that is to move is in use"};
  }
  return Surprise{SurpriseReason::kMoveFailed, kernel,
                  "the slow tier reported an error"};
}

std::optional<Surprise> PlanMoves::BeginAt(int32_t kernel) {
  Batch batch;
  for (; next_move_ < plan_->moves.size(); ++next_move_) {
    const session::PlanMove& move = plan_->moves[next_move_];
    if (move.start_kernel > kernel) break;
    if (IsOver(move, first_boundary_)) continue;
    Block* block = tensors_->at(move.tensor);
    if (block == nullptr) continue;  // freed earlier than usual
    const bool drops = move.flags & session::kMoveIsDrop;
    if (drops && blocks_->Movable(*block) && blocks_->ReturnToKept(block)) {
      continue;
    }
    const std::pair<int32_t, int32_t> tiers(move.from_tier, move.to_tier);
    const bool joins = Awaited(move) && tiers == batch.tiers;
    if (!joins) {
      if (auto surprise = EndBatch(&batch, kernel)) return surprise;
    }
    if (!BeginMove(move, block, kernel)) {
      return Surprise{SurpriseReason::kMoveImpossible, kernel,
                      "a tensor is not where the plan expects it"};
    }
    if (!Awaited(move) || !block->moving()) continue;
    batch.blocks.push_back(block);
    batch.tiers = tiers;
  }
  return EndBatch(&batch, kernel);
}

std::vector<const Block*> PlanMoves::ViewedAt(int32_t kernel) const {
  std::vector<const Block*> viewed;
  for (size_t i = next_move_; i < plan_->moves.size(); ++i) {
    const session::PlanMove& move = plan_->moves[i];
    if (move.start_kernel > kernel) break;
    const Block* block = tensors_->at(move.tensor);
    if (block != nullptr && block->views > 0) viewed.push_back(block);
  }
  return viewed;
}

// Ends all of them; returns why the first one failed that did.
std::optional<Surprise> PlanMoves::EndBatch(Batch* batch, int32_t kernel) {
  std::optional<Surprise> first;
  for (Block* block : std::exchange(batch->blocks, {})) {
    std::optional<Surprise> surprise = Finish(block, kernel);
    if (!first.has_value()) first = std::move(surprise);
  }
  return first;
}

// Returns when the bytes are needed if the kernels until then take what the
// plan counts on.
int64_t PlanMoves::DeadlineNs(const session::PlanMove& move,
                              int32_t kernel) const {
  if (Awaited(move)) return 0;
  const std::vector<int64_t>& at_ns = plan_->boundaries_ns;
  return session::NowNs() + at_ns[move.deadline_kernel] - at_ns[kernel];
}

bool PlanMoves::BeginMove(const session::PlanMove& move, Block* block,
                          int32_t kernel) {
  if (block->place.tier == move.to_tier) return true;  // it left before
  if (block->place.tier != move.from_tier || !blocks_->Movable(*block)) {
    return false;
  }
  const std::optional<Place> room = strangers_->TakeRoomOrHole(
      PlannedPlace(move.to_tier, move.to_offset_bytes, plan_begin_bytes_),
      block);
  return room.has_value() &&
         mover_->Begin(block, *room, move.flags & session::kMoveKeepsSource,
                       DeadlineNs(move, kernel));
}

void PlanMoves::Settle() {
  for (Block* block : tensors_->all()) {
    if (block != nullptr && block->moving()) mover_->Finish(block);
  }
}

}  // namespace stowage::runtime
