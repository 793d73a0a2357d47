#include "client_sdk/runtime/placing/hint_follower.h"

#include <iterator>
#include <map>
#include <utility>

#include "client_sdk/runtime/connection/report_log.h"

namespace stowage::runtime {

void HintFollower::Follow(const RunningKernel& kernel) {
  if (kernel.index <= guide_.kernel) return;
  guide_.kernel = kernel.index;
  if (!guide_.plan->Expects(kernel.index, kernel.key)) return End();
  mover_->FinishAhead(/*wait=*/false);
  TakeAnswer(kernel.index);
  FollowDue(kernel.index);
  AskAhead(kernel.index);
}

void HintFollower::End() {
  mover_->FinishAhead(/*wait=*/true);
  totals_.ignored += guide_.hints.due.size();
  guide_ = {};
}

void HintFollower::TakeAnswer(int32_t kernel) {
  if (!guide_.awaits_answer || !publisher_->TakesSituation()) return;
  guide_.awaits_answer = false;
  auto hints = CopyHints(segment_->hints, *guide_.plan, blocks_->tier_count());
  if (!hints.has_value()) {
    ReportEvent(&segment_->report, "hints-malformed",
                "the agent's hints are inconsistent", kernel);
    return;
  }
  guide_.hints.Replace(*std::move(hints));
}

// Follows the hints that are due: first those by which tensors leave, because
// others may get their room.
void HintFollower::FollowDue(int32_t kernel) {
  totals_.ignored += guide_.hints.Advance(kernel);
  std::map<int32_t, session::Hint>& due = guide_.hints.due;
  for (const bool leaving : {true, false}) {
    for (auto hint = due.begin(); hint != due.end();) {
      const bool leaves = hint->second.tier != session::kFastTier;
      const bool keeps = leaves != leaving || !FollowHint(hint->second, kernel);
      hint = keeps ? std::next(hint) : due.erase(hint);
    }
  }
}

// Returns false if it may be followed at a later kernel.
bool HintFollower::FollowHint(const session::Hint& hint, int32_t kernel) {
  Block* block = tensors_->at(hint.tensor);
  const bool fresh = kernel < hint.kernel + session::kHintWindow;
  if (block == nullptr) {
    if (hint.kernel == kernel) return false;  // which may be about to bear it
    ++totals_.ignored;
    return true;
  }
  if (block->moving() && fresh) return false;
  if (block->place.tier == hint.tier) return true;
  std::optional<Place> room;
  if (fresh && blocks_->Movable(*block)) {
    room = blocks_->TakeRoom(hint.tier, block);
  }
  if (!room.has_value()) {
    const bool may_find_room = fresh && hint.tier == session::kFastTier;
    totals_.ignored += may_find_room ? 0 : 1;
    return !may_find_room;
  }
  BeginMove(block, *room);
  return true;
}

void HintFollower::BeginMove(Block* block, Place to) {
  const bool began = mover_->BeginAhead(block, to);
  ++(began ? totals_.taken : totals_.ignored);
  // Or it would be the first to leave again.
  if (began && to.tier == session::kFastTier) blocks_->Touch(block);
}

bool HintFollower::PlaceNew(const RunningKernel& kernel, Block* block) {
  const session::PlanAllocation* planned =
      guide_.plan->Allocation(kernel.index, kernel.ordinal);
  if (planned == nullptr || planned->size_bytes != block->size_bytes) {
    End();
    return false;
  }
  tensors_->Name(block, planned->tensor);
  const auto hint = guide_.hints.due.find(planned->tensor);
  if (hint == guide_.hints.due.end()) return false;
  const int32_t tier = hint->second.tier;
  guide_.hints.due.erase(hint);
  if (tier == session::kFastTier) return false;  // as demand mode does
  std::optional<Place> room;
  if (blocks_->tier(tier).addressable()) room = blocks_->TakeRoom(tier, block);
  ++(room.has_value() ? totals_.taken : totals_.ignored);
  if (room.has_value()) block->place = *room;
  return room.has_value();
}

// States the next situation when half of the kernels have run that the last one
// asked for.
void HintFollower::AskAhead(int32_t kernel) {
  const bool due = guide_.stated_kernel < 0 ||
                   kernel >= guide_.stated_kernel + session::kHintWindow / 2;
  if (!due || !publisher_->TakesSituation()) return;
  publisher_->WriteSituation(guide_.plan->number, kernel, *tensors_);
  guide_.stated_kernel = kernel;
  guide_.awaits_answer = true;
}

}  // namespace stowage::runtime
