#include "client_sdk/runtime/space/fast_space.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "client_sdk/runtime/blocks/victims.h"
#include "client_sdk/runtime/connection/report_log.h"
#include "client_sdk/runtime/process/available_memory.h"
#include "client_sdk/runtime/process/mapping_time.h"
#include "client_sdk/session/size_spec.h"

namespace stowage::runtime {
namespace {

// The fast arena is never smaller, so that small kernels need no streaming.
constexpr int64_t kLeastArenaBytes = 1 << 20;
// Share of what is free that a kernel that streams begins to look for.
constexpr double kExtensionShare = 0.9;
// An extension is larger than the window that is set aside by this part of it.
constexpr int64_t kLeastGainShare = 4;
// The window has its final size when this step, counted from 0, has ended:
// optimizers have their state then.
constexpr int64_t kLastStepOfWindow = 1;
// What is not in the arena crowds what is with more than this part of the limit.
constexpr int64_t kUnmanagedShare = 8;

// Room for storages below the managed size: their peak so far, and a little.
int64_t ReserveFor(int64_t unmanaged_peak_bytes) {
  return RoundUpToPage(unmanaged_peak_bytes + unmanaged_peak_bytes / 8 +
                       (64 << 10));
}

std::string LimitText(int64_t bytes) {
  return bytes > 0 ? session::SizeText(bytes) : "unlimited";
}

AvailableMemory AvailableTo(const MappedTier& fast) {
  AvailableMemory available = AvailableMemory::Now();
  available.bytes = std::min(available.bytes, fast.info.capacity_bytes);
  return available;
}

}  // namespace

FastSpace::FastSpace(SessionClient* client, PlacedBlocks* blocks, Mover* mover,
                     Evictor* evictor)
    : client_(client),
      blocks_(blocks),
      mover_(mover),
      evictor_(evictor),
      limit_(client->welcome().limit,
             AvailableTo(client->tiers()[session::kFastTier]),
             &client->segment()->report) {
  window_block_.set_aside = true;
  FitAll();
}

int64_t FastSpace::overhead_bytes() const {
  if (limit_.is_awaited()) {
    return reserve_bytes_ +
           StreamWindow::BytesFor(blocks_->peaks().tensor_bytes);
  }
  const bool streams = limit_.is_share() || !limit_.unlimited();
  return reserve_bytes_ + (streams ? window_bytes() : 0);
}

int64_t FastSpace::growth_bytes() const {
  return ReserveFor(reserve_bytes_) - reserve_bytes_;
}

bool FastSpace::IsOrdered() const {
  const session::LimitArea& area = client_->segment()->limits;
  return area.ordered.load(std::memory_order_acquire) !=
         area.taken.load(std::memory_order_relaxed);
}

bool FastSpace::FollowOrder() {
  if (!IsOrdered()) return false;
  session::LimitArea& area = client_->segment()->limits;
  const uint64_t ordered = area.ordered.load(std::memory_order_acquire);
  const int64_t before_bytes = limit_.bytes();
  const int64_t answer = TakeLimit(area.order);
  area.refused_below_bytes.store(answer, std::memory_order_relaxed);
  area.taken.store(ordered, std::memory_order_release);
  return limit_.bytes() != before_bytes;
}

int64_t FastSpace::TakeLimit(const session::LimitOrder& order) {
  const FastLimit before = limit_;
  limit_.Obey(order);
  const int64_t least_bytes = LeastLimitBytes();
  if (!limit_.unlimited() && limit_.bytes() < least_bytes) {
    limit_ = before;
    return EnoughBytes(least_bytes);
  }
  try {
    FitAll();
  } catch (const std::runtime_error&) {
    limit_ = before;
    FitAll();
    return session::kNoRoomToObey;
  }
  limit_.Publish();
  if (limit_.bytes() != before.bytes() && !before.is_awaited()) {
    ReportEvent(&client_->segment()->report, "limit-changed",
                "from " + LimitText(before.bytes()) + " to " +
                    LimitText(limit_.bytes()) + " after this step");
  }
  return session::kLimitObeyed;
}

void FastSpace::FitAll() {
  FitWindow();
  FitReserve();
}

void FastSpace::FollowUnmanaged() {
  if (blocks_->unmanaged_peak_bytes() > reserve_bytes_) FitReserve();
}

void FastSpace::AdmitUnmanaged(int64_t bytes, int64_t step) {
  const int64_t peak_bytes = std::max(blocks_->unmanaged_peak_bytes(),
                                      blocks_->unmanaged_bytes() + bytes);
  const int64_t reserve_bytes = ReserveFor(peak_bytes);
  const int64_t least_bytes = LeastLimitBytes(reserve_bytes);
  if (!limit_.unlimited() && limit_.IsKnown(step) &&
      limit_.bytes() < least_bytes) {
    throw std::runtime_error(
        "stowage: never_manage() leaves no room for a tensor of " +
        session::SizeText(bytes) + ": the limit is " +
        session::SizeText(limit_.bytes()) +
        ", and tensors that are not managed count against it; let it be "
        "managed, or raise the limit to " +
        session::SizeText(EnoughBytes(least_bytes)) + " or more");
  }
  if (peak_bytes <= reserve_bytes_) return;
  reserve_bytes_ = reserve_bytes;
  FitArena();
}

bool FastSpace::IsCrowdedBy(int64_t bytes) const {
  return blocks_->unmanaged_bytes() + bytes >
         limit_.effective_bytes() / kUnmanagedShare;
}

void FastSpace::FollowPeak(int64_t step, int64_t tensor_bytes,
                           int64_t kernel_bytes) {
  const int64_t needed_bytes = kernel_bytes + kernel_bytes / 4 +
                               overhead_bytes() + blocks_->pinned_bytes();
  if (!limit_.FollowPeak(step, tensor_bytes, needed_bytes)) return;
  FitArena();
  if (step <= kLastStepOfWindow &&
      StreamWindow::BytesFor(limit_.bytes()) >= 2 * window_bytes()) {
    FitWindow();
  }
}

// The arena of the first step is hardly larger than what the kernel needs. With
// room for one birth more there is a piece behind all that stays.
void FastSpace::FollowBirth(int64_t step, const Block& birth,
                            int64_t kernel_bytes) {
  const int64_t tensor_bytes = blocks_->tensor_bytes() + birth.size_bytes;
  FollowPeak(step, tensor_bytes, kernel_bytes);
  if (step > 0 || !limit_.is_share() || HasRoomFor(birth)) return;
  FollowPeak(step, tensor_bytes, kernel_bytes + birth.room_bytes());
}

bool FastSpace::HasRoomFor(const Block& birth) const {
  const auto leaves = [this](const Block& victim) {
    return blocks_->CanLeave(victim);
  };
  return LowestVictims(blocks_->fast(), birth.room_bytes(), leaves).has_value();
}

void FastSpace::EndStep(int64_t step) {
  blocks_->NotePeaks();
  const bool changed = limit_.EndStep(step, blocks_->peaks().tensor_bytes);
  if (step <= kLastStepOfWindow) {
    FitAll();
  } else if (changed) {
    FitArena();
  }
  limit_.Publish();
}

void FastSpace::CheckLimit() {
  if (limit_.RaiseShare(LeastLimitBytes())) FitAll();
  limit_.Check(LeastLimitBytes());
}

bool FastSpace::HasTierFor(const Block& birth, int64_t step) const {
  const int64_t bytes = birth.room_bytes();
  for (int tier = 1; tier < blocks_->tier_count(); ++tier) {
    if (bytes <= blocks_->arena(tier).capacity_bytes()) return true;
  }
  const int64_t tensor_bytes = blocks_->tensor_bytes() + birth.size_bytes;
  return bytes <= limit_.MostBytesWith(step, tensor_bytes);
}

bool FastSpace::Admits(const Block& block, int64_t step) {
  largest_room_bytes_ = std::max(largest_room_bytes_, block.room_bytes());
  if (step > 0 || !limit_.is_absolute() || blocks_->tier(1).addressable()) {
    return true;
  }
  return LeastLimitBytes() <= limit_.bytes() ||
         block.room_bytes() <= tensor_bytes();
}

// What must fit: storages below the managed size, and as they may grow, the
// window, pinned tensors and a little, and, where slow memory is not
// addressable, half of the largest tensor: kernels stream what does not fit,
// but with less they would do nothing else.
int64_t FastSpace::LeastLimitBytes(int64_t reserve_bytes) const {
  const bool addressable = blocks_->tier(1).addressable();
  const int64_t least_bytes =
      ReserveFor(reserve_bytes) +
      std::max(blocks_->pinned_bytes() + kLeastArenaBytes,
               addressable ? 0 : largest_room_bytes_ / 2);
  return RoundUpToPage(
      least_bytes + StreamWindow::BytesFor(least_bytes + (least_bytes >> 6)));
}

// Gives the window the size that suits the limit; blocks in its way are
// evicted.
void FastSpace::FitWindow() {
  const int64_t old_bytes = window_block_.size_bytes;
  const int64_t new_bytes = StreamWindow::BytesFor(limit_.effective_bytes());
  if (new_bytes == old_bytes || extended_) return;
  mover_->FinishAhead(/*wait=*/true);
  const auto victims =
      LowestVictims(blocks_->fast(), new_bytes, [this](const Block& victim) {
        return &victim == &window_block_ || blocks_->Movable(victim);
      });
  if (!victims.has_value()) return;
  // The slow tier may be full: the window changes only after this.
  for (Block* block : victims->blocks) {
    if (block != &window_block_) evictor_->Evict(block);
  }
  mover_->window()->Use(0, 0);
  if (old_bytes > 0) blocks_->GiveBack(window_block_.place);
  const Place room{session::kFastTier, victims->offset_bytes};
  window_block_.size_bytes = new_bytes;
  if (blocks_->TakeRoomAt(room, &window_block_)) {
    window_block_.place = room;
  } else {
    window_block_.size_bytes = old_bytes;
    blocks_->TakeRoomAt(window_block_.place, &window_block_);
  }
  mover_->window()->Use(window_block_.place.offset_bytes, window_bytes());
}

void FastSpace::FitReserve() {
  reserve_bytes_ = ReserveFor(blocks_->unmanaged_peak_bytes());
  FitArena();
}

// Lets the arena end where the limit does, less what is not in it, and evicts
// what no longer fits.
void FastSpace::FitArena() {
  const int64_t limit_bytes = (limit_.effective_bytes() - reserve_bytes_) /
                              session::kPageBytes * session::kPageBytes;
  const int64_t capacity_bytes =
      std::min(blocks_->tier(session::kFastTier).info.capacity_bytes,
               std::max(limit_bytes, window_bytes() + kLeastArenaBytes));
  const int64_t old_bytes = blocks_->fast().capacity_bytes();
  if (capacity_bytes == old_bytes) return;
  mover_->FinishAhead(/*wait=*/true);
  blocks_->SetFastCapacity(capacity_bytes);
  if (capacity_bytes < old_bytes) EvictAbove(capacity_bytes);
}

void FastSpace::EvictAbove(int64_t capacity_bytes) {
  const Arena::Extents& used = blocks_->fast().used();
  std::vector<Block*> outside;
  bool empty_above = true;
  for (auto extent = used.rbegin(); extent != used.rend(); ++extent) {
    if (extent->first + extent->second.size_bytes <= capacity_bytes) break;
    const bool movable = blocks_->Movable(*extent->second.block);
    if (movable) outside.push_back(extent->second.block);
    empty_above = empty_above && movable;
  }
  for (Block* block : outside) evictor_->Evict(block);
  if (!empty_above) return;
  const MappedTier& tier = blocks_->tier(session::kFastTier);
  const MappingTime time;
  fallocate(tier.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, capacity_bytes,
            tier.info.capacity_bytes - capacity_bytes);
  touched_bytes_ = std::min(touched_bytes_, capacity_bytes);
}

bool FastSpace::ExtendWindow(int64_t other_bytes) {
  return ExtendWindow(tensor_bytes() - other_bytes, [this] {
    return evictor_->TakeFastRoom(&extension_block_);
  });
}

bool FastSpace::ExtendWindowIntoHole() {
  return ExtendWindow(tensor_bytes(), [this] {
    return blocks_->TakeRoom(session::kFastTier, &extension_block_);
  });
}

bool FastSpace::ExtendWindow(
    int64_t most_bytes, const std::function<std::optional<Place>()>& take) {
  if (extended_) return false;
  std::optional<Place> room;
  int64_t bytes = kExtensionShare * most_bytes;
  const int64_t least_bytes = window_bytes() + window_bytes() / kLeastGainShare;
  for (; !room.has_value() && bytes > least_bytes; bytes -= bytes / 8) {
    extension_block_.size_bytes = bytes;
    room = take();
  }
  return UseExtension(room);
}

bool FastSpace::ExtendWindowAt(int64_t offset_bytes, int64_t bytes) {
  if (extended_ || bytes == 0) return false;
  extension_block_.size_bytes = bytes;
  const Place room{session::kFastTier, offset_bytes};
  const bool taken = evictor_->TakeFastRoomAt(room, &extension_block_);
  return UseExtension(taken ? std::optional(room) : std::nullopt);
}

bool FastSpace::UseExtension(std::optional<Place> room) {
  extended_ = room.has_value();
  if (!extended_) return false;
  extension_block_.place = *room;
  Touch(room->offset_bytes, extension_block_.size_bytes);
  mover_->window()->Use(room->offset_bytes, extension_block_.size_bytes);
  return true;
}

void FastSpace::EndExtension() {
  mover_->window()->Use(window_block_.place.offset_bytes, window_bytes());
  blocks_->GiveBack(extension_block_.place);
  extended_ = false;
}

void FastSpace::TouchUpTo(int64_t end_bytes) { Touch(0, end_bytes); }

void FastSpace::Touch(int64_t offset_bytes, int64_t bytes) {
  const int64_t end_bytes = offset_bytes + bytes;
  if (end_bytes <= touched_bytes_) return;
  const MappingTime time;
  madvise(blocks_->tier(session::kFastTier).base + offset_bytes, bytes,
          MADV_POPULATE_WRITE);
  if (offset_bytes <= touched_bytes_) touched_bytes_ = end_bytes;
}

}  // namespace stowage::runtime
