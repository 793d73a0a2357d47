#include "client_sdk/runtime/blocks/placed_blocks.h"

#include <string.h>

#include <algorithm>
#include <utility>

#include "client_sdk/runtime/blocks/byte_sample.h"

namespace stowage::runtime {
namespace {

// Returns whether its room counts as that of blocks that stay.
bool Stays(const Block& block) { return block.pinned || block.kept_fast; }

}  // namespace

PlacedBlocks::PlacedBlocks(const std::vector<MappedTier>* tiers,
                           const StorageAccess& storage)
    : tiers_(tiers), storage_(storage) {
  for (const MappedTier& tier : *tiers) {
    arenas_.push_back(std::make_unique<Arena>(tier.info.capacity_bytes));
  }
}

bool PlacedBlocks::Manages(const void* address) const {
  for (const MappedTier& tier : *tiers_) {
    if (tier.Contains(address)) return true;
  }
  return false;
}

Block* PlacedBlocks::Find(const void* address) const {
  for (int i = 0; i < tier_count(); ++i) {
    if (!tier(i).Contains(address)) continue;
    return arenas_[i]->Find(static_cast<const char*>(address) - tier(i).base);
  }
  return nullptr;
}

Block* PlacedBlocks::Adopt(void* context) {
  Block* block = Find(storage_.address(context));
  if (block == nullptr) return nullptr;
  if (block->storage != nullptr &&
      !storage_.refers_to(block->storage, context)) {
    storage_.release(block->storage);
    block->storage = nullptr;
  }
  if (block->storage == nullptr) block->storage = storage_.make_handle(context);
  return block;
}

void PlacedBlocks::SetFastCapacity(int64_t bytes) {
  arenas_[session::kFastTier]->SetCapacity(bytes);
}

std::unique_ptr<Block> PlacedBlocks::New(int64_t size_bytes) {
  auto block = std::make_unique<Block>();
  block->id = next_id_++;
  block->size_bytes = size_bytes;
  return block;
}

Block* PlacedBlocks::Add(std::unique_ptr<Block> block) {
  ++births_;
  managed_bytes_ += block->size_bytes;
  all_.insert(block.get());
  Touch(block.get());
  NotePeaks();
  return block.release();
}

PlacedBlocks::~PlacedBlocks() {
  for (Block* block : all_) delete block;
}

void PlacedBlocks::Remove(Block* block) {
  GiveUpKept(block);
  GiveBack(block->place);
  managed_bytes_ -= block->size_bytes;
  if (Stays(*block)) pinned_bytes_ -= block->room_bytes();
  if (block->storage != nullptr) storage_.release(block->storage);
  block->storage = nullptr;
  all_.erase(block);
  order_.Remove(block);
  block->dead = true;
  if (block->users == 0) delete block;
}

Block* PlacedBlocks::TakeDeferred() {
  if (deferred_.empty()) return nullptr;
  Block* block = deferred_.back();
  deferred_.pop_back();
  return block;
}

void PlacedBlocks::BeginUse(Block* block) {
  Touch(block);
  ++block->users;
}

void PlacedBlocks::EndUse(Block* block) {
  if (--block->users == 0 && block->dead) delete block;
}

void PlacedBlocks::MarkPinned(Block* block) {
  GiveUpKept(block);  // what is written from here on is not seen
  if (!Stays(*block)) pinned_bytes_ += block->room_bytes();
  block->pinned = true;
}

void PlacedBlocks::MarkUnpinned(Block* block) {
  block->pinned = block->set_aside = block->above_plans = false;
  if (!Stays(*block)) pinned_bytes_ -= block->room_bytes();
  if (block->storage != nullptr) storage_.make_movable(block->storage);
}

void PlacedBlocks::MarkKeptFast(Block* block) {
  if (!Stays(*block)) pinned_bytes_ += block->room_bytes();
  block->kept_fast = true;
}

void PlacedBlocks::ForgetKeptFast(Block* block) {
  if (!std::exchange(block->kept_fast, false)) return;
  if (!Stays(*block)) pinned_bytes_ -= block->room_bytes();
}

std::optional<Place> PlacedBlocks::TakeRoom(int tier, Block* block) {
  const std::optional<int64_t> offset_bytes = arenas_[tier]->Allocate(block);
  if (!offset_bytes.has_value()) return std::nullopt;
  NotePeaks();
  return Place{tier, *offset_bytes};
}

std::optional<Place> PlacedBlocks::TakeSlowRoom(Block* block) {
  for (int tier = 1; tier < tier_count(); ++tier) {
    if (auto place = TakeRoom(tier, block)) return place;
  }
  return std::nullopt;
}

std::optional<Place> PlacedBlocks::TakeRoomNear(Place place, Block* block) {
  if (TakeRoomAt(place, block)) return place;
  return TakeRoom(place.tier, block);
}

bool PlacedBlocks::TakeRoomAt(Place place, Block* block) {
  const bool taken = arenas_[place.tier]->AllocateAt(place.offset_bytes, block);
  if (taken) NotePeaks();
  return taken;
}

void PlacedBlocks::GiveBack(Place place) {
  arenas_[place.tier]->Free(place.offset_bytes);
}

bool PlacedBlocks::CanMove(const Block& block) const {
  return !block.moving() && StorageMoves(block);
}

bool PlacedBlocks::StorageMoves(const Block& block) const {
  return block.storage != nullptr && !block.pinned &&
         storage_.movable(block.storage);
}

bool PlacedBlocks::Movable(const Block& block) const {
  return block.users == 0 && CanMove(block);
}

bool PlacedBlocks::CanLeave(const Block& block) const {
  const bool moves = block.moving() && !block.move->stays;
  return block.users == 0 && !moves && StorageMoves(block);
}

bool PlacedBlocks::StorageStays(const Block& block) const {
  return block.storage != nullptr && !storage_.movable(block.storage);
}

bool PlacedBlocks::SetPlace(Block* block, Place place, bool keeps_source) {
  if (!storage_.set_address(block->storage, AddressOf(block->place),
                            AddressOf(place))) {
    GiveBack(place);
    return false;
  }
  GiveUpKept(block);
  if (keeps_source) {
    block->kept = block->place;
  } else {
    GiveBack(block->place);
  }
  block->place = place;
  if (keeps_source) NoteCopied(block);
  block->written.MarkAll();
  ++moves_;
  return true;
}

bool PlacedBlocks::Shift(Block* block, Place place) {
  const Place from = block->place;
  // Beyond the capacity, it could not take its room back.
  if (from.offset_bytes + block->room_bytes() >
      arena(from.tier).capacity_bytes()) {
    return false;
  }
  GiveBack(from);
  if (TakeRoomAt(place, block)) {
    memmove(AddressOf(place), AddressOf(from), block->room_bytes());
    if (storage_.set_address(block->storage, AddressOf(from),
                             AddressOf(place))) {
      block->place = place;
      ++moves_;
      return true;
    }
    GiveBack(place);  // nobody reads what is dying
  }
  TakeRoomAt(from, block);
  return false;
}

void PlacedBlocks::NoteCopied(Block* block) {
  block->sample = SampleOf(AddressOf(block->place), block->size_bytes);
}

bool PlacedBlocks::WasWrittenUnseen(const Block& block) {
  if (SampleOf(AddressOf(block.place), block.size_bytes) == block.sample) {
    return false;
  }
  if (unseen_writes_.count++ == 0) {
    unseen_writes_.size_bytes = block.size_bytes;
    unseen_writes_.made_by = block.made_by;
  }
  return true;
}

bool PlacedBlocks::ReturnToKept(Block* block) {
  if (!block->kept.has_value()) return false;
  if (WasWrittenUnseen(*block)) {
    GiveUpKept(block);
    return false;
  }
  SetPlace(block, *std::exchange(block->kept, std::nullopt));
  return true;
}

// A move under way that was to keep a copy does so no more, either.
void PlacedBlocks::GiveUpKept(Block* block) {
  if (block->move.has_value()) block->move->keeps = false;
  if (!block->kept.has_value()) return;
  GiveBack(*block->kept);
  block->kept.reset();
}

bool PlacedBlocks::GiveUpAllKept() {
  bool any = false;
  for (Block* block : all_) {
    any = any || block->kept.has_value();
    GiveUpKept(block);
  }
  return any;
}

void PlacedBlocks::NoteWrite(const KernelOperand& operand) {
  if (operand.flags & session::kOperandWrite) GiveUpKept(operand.block);
}

void PlacedBlocks::BeginStep() {
  peaks_ = {};
  NotePeaks();
}

void PlacedBlocks::NotePeaks() {
  peaks_.fast_bytes =
      std::max(peaks_.fast_bytes, fast().used_bytes() + unmanaged_.now());
  peaks_.tensor_bytes = std::max(peaks_.tensor_bytes, tensor_bytes());
}

}  // namespace stowage::runtime
