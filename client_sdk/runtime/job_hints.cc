// A step that is off its plan: demand mode drives, the process states what is
// where, and hints that come back become moves ahead of the kernels that need
// them. A hint never evicts to make room, never waits, and never touches what a
// kernel uses; demand mode stands behind whatever it does.
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "client_sdk/runtime/job.h"
#include "client_sdk/session/futex.h"

namespace stowage::runtime {

// Before a kernel runs, its operands in place.
void Job::FollowGuide(const RunningKernel& kernel) {
  if (kernel.index <= guide_.kernel) return;
  guide_.kernel = kernel.index;
  if (!guide_.plan->Expects(kernel.index, kernel.key)) return EndGuide();
  mover_.FinishAhead(/*wait=*/false);
  TakeHints(kernel.index);
  FollowHints(kernel.index);
  StateSituation(kernel.index);
}

void Job::EndGuide() {
  mover_.FinishAhead(/*wait=*/true);
  totals_.hints_ignored += guide_.due.size();
  guide_ = {};
}

void Job::TakeHints(int32_t kernel) {
  const session::Segment* segment = client_->segment();
  if (!guide_.awaits_answer || segment->situations_answered.load() !=
                                   segment->situations_stated.load()) {
    return;
  }
  guide_.awaits_answer = false;
  auto hints = CopyHints(segment->hints, *guide_.plan, blocks_.tier_count());
  if (!hints.has_value()) {
    ReportEvent(report(), "hints-malformed",
                "the agent's hints are inconsistent", kernel);
    return;
  }
  guide_.Replace(*std::move(hints));
}

// What leaves goes first: others may get its room.
void Job::FollowHints(int32_t kernel) {
  totals_.hints_ignored += guide_.Advance(kernel);
  for (const bool leaving : {true, false}) {
    for (auto hint = guide_.due.begin(); hint != guide_.due.end();) {
      const bool leaves = hint->second.tier != session::kFastTier;
      const bool keeps = leaves != leaving || !FollowHint(hint->second, kernel);
      hint = keeps ? std::next(hint) : guide_.due.erase(hint);
    }
  }
}

// False: it may be followed at a later kernel.
bool Job::FollowHint(const session::Hint& hint, int32_t kernel) {
  Block* block = driver_.tensors()->at(hint.tensor);
  const bool fresh = kernel < hint.kernel + session::kHintWindow;
  if (block == nullptr) {
    if (hint.kernel == kernel) return false;  // which may be about to bear it
    ++totals_.hints_ignored;
    return true;
  }
  if (block->moving() && fresh) return false;
  if (block->place.tier == hint.tier) return true;
  std::optional<Place> room;
  if (fresh && blocks_.Movable(*block)) {
    room = blocks_.TakeRoom(hint.tier, block);
  }
  if (!room.has_value()) {
    const bool may_find_room = fresh && hint.tier == session::kFastTier;
    totals_.hints_ignored += may_find_room ? 0 : 1;
    return !may_find_room;
  }
  StartHintedMove(block, *room);
  return true;
}

void Job::StartHintedMove(Block* block, Place to) {
  const bool began = mover_.BeginAhead(block, to);
  ++(began ? totals_.hints_taken : totals_.hints_ignored);
  // Or it would be the first to leave again.
  if (began && to.tier == session::kFastTier) blocks_.Touch(block);
}

// Names the tensor that a kernel bears, and places it in slow memory if that is
// the hint and kernels can write it there. False: demand mode places it.
bool Job::PlaceByHint(const RunningKernel& kernel, Block* block) {
  const session::PlanAllocation* planned =
      guide_.plan->Allocation(kernel.index, kernel.ordinal);
  if (planned == nullptr || planned->size_bytes != block->size_bytes) {
    EndGuide();
    return false;
  }
  driver_.tensors()->Name(block, planned->tensor);
  const auto hint = guide_.due.find(planned->tensor);
  if (hint == guide_.due.end()) return false;
  const int32_t tier = hint->second.tier;
  guide_.due.erase(hint);
  if (tier == session::kFastTier) return false;  // as demand mode does
  std::optional<Place> room;
  if (blocks_.tier(tier).addressable()) room = blocks_.TakeRoom(tier, block);
  ++(room.has_value() ? totals_.hints_taken : totals_.hints_ignored);
  if (room.has_value()) block->place = *room;
  return room.has_value();
}

// One situation is under way at most, and the next comes when half of the
// kernels that the last one asked for have run.
void Job::StateSituation(int32_t kernel) {
  session::Segment* segment = client_->segment();
  const uint64_t stated =
      segment->situations_stated.load(std::memory_order_relaxed);
  const bool due = guide_.stated_kernel < 0 ||
                   kernel >= guide_.stated_kernel + session::kHintWindow / 2;
  if (!due || segment->situations_answered.load() != stated) return;
  session::SituationArea& area = segment->situation;
  area.plan = guide_.plan->number;
  area.kernel = kernel;
  for (int tier = 0; tier < blocks_.tier_count(); ++tier) {
    const Arena& arena = blocks_.arena(tier);
    area.free_bytes[tier] = arena.capacity_bytes() - arena.used_bytes();
  }
  area.resident_count = 0;
  const std::vector<Block*>& tensors = driver_.tensors()->all();
  for (size_t t = 0; t < tensors.size() && t < session::kMaxBlocks; ++t) {
    const Block* block = tensors[t];
    if (block == nullptr) continue;
    const Place& place = block->moving() ? block->move->to : block->place;
    area.residents[area.resident_count++] = {static_cast<int32_t>(t),
                                             place.tier};
  }
  guide_.stated_kernel = kernel;
  guide_.awaits_answer = true;
  segment->situations_stated.store(stated + 1);
  session::FutexRing(segment->situation_bell);
}

}  // namespace stowage::runtime
