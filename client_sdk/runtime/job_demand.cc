// Demand mode: allocate in the bounded fast arena, evict what was used longest
// ago to make room, fetch operands at use.
#include <errno.h>
#include <string.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "client_sdk/runtime/clock.h"
#include "client_sdk/runtime/job.h"
#include "client_sdk/runtime/tier_copy.h"
#include "client_sdk/runtime/victims.h"

namespace stowage {
namespace {

// Share of the fast arena that operands of one kernel may take by themselves;
// the rest is for what the kernel allocates.
constexpr double kOperandShare = 0.95;
// Share of it that a kernel that streams begins to look for as its window.
constexpr double kExtensionShare = 0.75;

std::string MiB(int64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

}  // namespace

void Job::PlaceOnDemand(Block* block) {
  std::optional<Place> room = FastRoom(block);
  if (!room.has_value()) room = SlowRoom(block);
  if (!room.has_value()) {
    throw std::runtime_error(
        "stowage: no tier has room for a tensor of " + MiB(block->size_bytes) +
        "; give the slow tier more space or raise the limit of fast memory");
  }
  block->place = *room;
}

// Takes room in the fast arena for a block that is not there, evicting others
// where need be.
std::optional<Place> Job::FastRoom(Block* block) {
  Arena& fast = *arenas_[session::kFastTier];
  if (auto offset = fast.Allocate(block)) return Place{0, *offset};
  std::optional<Victims> victims =
      ChooseVictims(fast, block->room_bytes(), kernels_run_,
                    [this](const Block& victim) { return Movable(victim); });
  if (!victims.has_value()) return std::nullopt;
  for (Block* victim : victims->blocks) Evict(victim);
  if (fast.AllocateAt(victims->offset_bytes, block)) {
    return Place{0, victims->offset_bytes};
  }
  // A victim died meanwhile on another thread, before it could be moved.
  if (auto offset = fast.Allocate(block)) return Place{0, *offset};
  return std::nullopt;
}

std::optional<Place> Job::SlowRoom(Block* block) {
  for (size_t tier = 1; tier < arenas_.size(); ++tier) {
    if (auto offset = arenas_[tier]->Allocate(block)) {
      return Place{static_cast<int>(tier), *offset};
    }
  }
  return std::nullopt;
}

// Moves a block to the first slow tier that takes it.
void Job::Evict(Block* block) {
  int error = ENOSPC;
  for (size_t tier = 1; tier < arenas_.size(); ++tier) {
    auto offset = arenas_[tier]->Allocate(block);
    if (!offset.has_value()) continue;
    error = MoveNow(block, {static_cast<int>(tier), *offset});
    if (error == 0) return;
    ReportEvent("eviction-failed", strerror(error));
  }
  throw std::runtime_error(
      std::string("stowage: cannot move a tensor of ") +
      MiB(block->size_bytes) + " to the slow tier " +
      client_->tiers()[1].info.name + ": " + strerror(error) +
      "; no tensor was lost. Free space there, name another directory with "
      "--slow, or raise the limit of fast memory");
}

// Brings a block into the fast arena; false if there is no room for it.
bool Job::Fetch(Block* block) {
  std::optional<Place> room = FastRoom(block);
  if (!room.has_value()) return false;
  const int error = MoveNow(block, *room);
  if (error == 0) return true;
  throw std::runtime_error(
      std::string("stowage: cannot read a tensor back from the slow tier ") +
      client_->tiers()[block->place.tier].info.name + ": " + strerror(error));
}

// Copies a block to room that is taken already; frees the room it leaves. On
// an error (an errno) the room is given back and the block is where it was.
int Job::MoveNow(Block* block, Place to) {
  const int64_t begin_ns = NowNs();
  int error = window_.Release(*block);
  if (error == 0) {
    error = CopyBetweenTiers(client_->tiers(), block->place, to,
                             block->room_bytes());
  }
  totals_.stall_ns += NowNs() - begin_ns;
  NotePeaks();
  if (error != 0) {
    arenas_[to.tier]->Free(to.offset_bytes);
    return error;
  }
  auto& moved = to.tier == session::kFastTier ? totals_.moved_in_bytes
                                              : totals_.moved_out_bytes;
  moved += block->size_bytes;
  SetPlace(block, to);
  return 0;
}

// The block's bytes have arrived at `place`: point the storage there. A storage
// that is dying on another thread keeps its place and frees it itself.
bool Job::SetPlace(Block* block, Place place) {
  if (!storage_.set_address(block->storage, AddressOf(block->place),
                            AddressOf(place))) {
    arenas_[place.tier]->Free(place.offset_bytes);
    return false;
  }
  arenas_[block->place.tier]->Free(block->place.offset_bytes);
  block->place = place;
  ++moves_;
  return true;
}

// Fetches what fits; what does not is used where it is: in place in an
// addressable tier, through the window in a file.
void Job::FetchOperands(RunningKernel* kernel,
                        const std::vector<KernelOperand>& operands) {
  std::vector<KernelOperand> absent;
  int64_t resident_bytes = 0;
  bool streams = false;
  for (const KernelOperand& operand : operands) {
    if (operand.block->place.tier == session::kFastTier) {
      resident_bytes += operand.block->room_bytes();
    } else {
      absent.push_back(operand);
    }
  }
  std::sort(absent.begin(), absent.end(), [](const auto& a, const auto& b) {
    return a.block->size_bytes < b.block->size_bytes;
  });
  const int64_t budget_bytes =
      kOperandShare *
      (arenas_[session::kFastTier]->capacity_bytes() - window_bytes());
  for (const KernelOperand& operand : absent) {
    Block* block = operand.block;
    const bool movable = block->storage != nullptr && !block->pinned &&
                         block->users == 1;  // this kernel
    if (movable && resident_bytes + block->room_bytes() <= budget_bytes &&
        Fetch(block)) {
      resident_bytes += block->room_bytes();
      continue;
    }
    NoteSlowUse(kernel, operand);
    if (!client_->tiers()[block->place.tier].addressable()) streams = true;
  }
  if (streams) ExtendWindow(kernel);
}

// Gives a kernel that streams all the fast memory that it does not need
// otherwise; the window that is set aside would do, but slowly. Under a plan it
// is the room that the plan keeps free for this.
void Job::ExtendWindow(RunningKernel* kernel) {
  if (extension_block_.size_bytes > 0) return;
  Arena& fast = *arenas_[session::kFastTier];
  std::optional<Place> room;
  if (plan_ != nullptr) {
    extension_block_.size_bytes = plan_->stream_window_bytes;
    const int64_t offset_bytes =
        fast.capacity_bytes() - extension_block_.room_bytes();
    if (extension_block_.size_bytes > 0 &&
        fast.AllocateAt(offset_bytes, &extension_block_)) {
      room = Place{session::kFastTier, offset_bytes};
    }
  } else {
    int64_t bytes = kExtensionShare * (fast.capacity_bytes() - window_bytes());
    for (; !room.has_value() && bytes > 2 * window_bytes(); bytes /= 2) {
      extension_block_.size_bytes = bytes;
      room = FastRoom(&extension_block_);
    }
  }
  if (!room.has_value()) {
    extension_block_.size_bytes = 0;
    return;
  }
  extension_block_.place = *room;
  kernel->extends_window = true;
  window_.Use(room->offset_bytes, extension_block_.size_bytes);
  NotePeaks();
}

void Job::EndExtension() {
  window_.Use(0, window_bytes());
  arenas_[session::kFastTier]->Free(extension_block_.place.offset_bytes);
  extension_block_.size_bytes = 0;
}

void Job::NoteSlowUse(RunningKernel* kernel, const KernelOperand& operand) {
  const int tier = operand.block->place.tier;
  if (operand.flags & session::kOperandRead) {
    kernel->slow_read_bytes[tier] += operand.block->size_bytes;
  }
  if (operand.flags & session::kOperandWrite) {
    kernel->slow_write_bytes[tier] += operand.block->size_bytes;
  }
  ++kernel->slow_operands;
}

}  // namespace stowage
