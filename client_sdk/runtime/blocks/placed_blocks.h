// Keeps where the blocks of a job are.
//
//   PlacedBlocks blocks(&client->tiers(), storage_access);
//   std::unique_ptr<Block> born = blocks.New(size_bytes);
//   born->place = *blocks.TakeRoom(session::kFastTier, born.get());
//   Block* block = blocks.Add(std::move(born));
//   blocks.SetPlace(block, room);   // its bytes have been copied there
//   blocks.Remove(block);
//
// Each tier has an arena, and each extent of an arena that is in use is held
// for one block. A block holds at least one, its place. It may hold a second,
// the room at the destination of a move that is under way (Block::move), and a
// third, in a slower tier, that a plan keeps (Block::kept). TakeRoom() and its
// kin hand extents out, GiveBack() takes them back, and whoever took one sees
// to it that it becomes a place or is given back. Blocks that no storage stands
// behind, such as the window's, hold extents without being in all().
//
// The storage of the framework points to the place of its block, always. The
// two change together, in SetPlace(), and only when the bytes have arrived: so
// a move that fails or is abandoned leaves the tensor where it was. A storage
// that dies on another thread at that moment is left alone: it keeps the place
// that it is about to free.
//
// Kept copies. A plan and demand mode may keep the place that a tensor was
// fetched from, or copy it ahead (copies_ahead.h), and drop the tensor from the
// fast tier later: then the storage returns there and nothing is copied. While
// Block::kept is set, the block is in the fast tier, and the kept place holds the
// block's bytes. Whatever could end that gives the place back, and so does a copy
// that is under way: a kernel that writes the block (NoteWrite), any other move
// (SetPlace), an address that is told outside (MarkPinned), death (Remove), an
// eviction or a birth that finds no room else, and the beginning and the end of a
// plan (GiveUpAllKept). A drop that finds no copy makes one.
//
// Bytes. Storages below the managed size are no blocks; their bytes are counted
// here all the same, since they are fast memory that the limit is for. Peaks
// are noted whenever room is taken, which is when they can rise.
//
// Time. The clock counts the kernels of the job; blocks remember when they were
// used last and which ones were used before and after, for whoever chooses what
// to evict and what to fetch.
//
// The Job's mutex guards all of it except Manages(), StorageAddress() and
// CountUnmanaged(), which are thread-safe.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_PLACED_BLOCKS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_PLACED_BLOCKS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "client_sdk/runtime/blocks/arena.h"
#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/blocks/storage_access.h"
#include "client_sdk/runtime/blocks/use_distance.h"
#include "client_sdk/runtime/blocks/use_order.h"
#include "client_sdk/runtime/connection/session_client.h"
#include "client_sdk/runtime/process/counted_bytes.h"

namespace stowage::runtime {

class PlacedBlocks {
 public:
  // Holds the most bytes since the step began.
  struct Peaks {
    int64_t fast_bytes = 0;    // in the fast tier, and unmanaged
    int64_t tensor_bytes = 0;  // of all tensors, wherever they are
  };
  // How often somebody wrote a block whom nobody saw, and the first such block.
  struct UnseenWrites {
    int64_t count = 0;
    int64_t size_bytes = 0;
    std::string_view made_by = {};
  };

  // `tiers` must outlive it, and must not change.
  PlacedBlocks(const std::vector<MappedTier>* tiers,
               const StorageAccess& storage);
  // Frees all blocks; nobody may use them any more.
  ~PlacedBlocks();
  PlacedBlocks(const PlacedBlocks&) = delete;
  PlacedBlocks& operator=(const PlacedBlocks&) = delete;

  // ---- Addresses ----

  // Returns whether the address lies in a tier of the job.
  bool Manages(const void* address) const;
  // Returns where the storage behind `context` points now.
  void* StorageAddress(void* context) const {
    return storage_.address(context);
  }
  char* AddressOf(Place place) const {
    return tier(place.tier).base + place.offset_bytes;
  }
  // Returns the block whose extent holds the address, or null.
  Block* Find(const void* address) const;
  // Returns the block behind the storage, or null; its handle is that storage's
  // from then on.
  Block* Adopt(void* context);

  const MappedTier& tier(int index) const { return (*tiers_)[index]; }
  const std::vector<MappedTier>& tiers() const { return *tiers_; }
  int tier_count() const { return static_cast<int>(tiers_->size()); }
  const Arena& arena(int tier) const { return *arenas_[tier]; }
  const Arena& fast() const { return *arenas_[session::kFastTier]; }
  void SetFastCapacity(int64_t bytes);

  // ---- Birth and death ----

  // Makes a block without a place, which nobody can find.
  std::unique_ptr<Block> New(int64_t size_bytes);
  // Takes over a block that has a place.
  Block* Add(std::unique_ptr<Block> block);
  // Gives back what the block holds, except the room of a move, and forgets it.
  // The block is deleted once no kernel uses it any more.
  void Remove(Block* block);
  const std::unordered_set<Block*>& all() const { return all_; }
  // Blocks that were freed while the mutex was held wait here for their death.
  void Defer(Block* block) { deferred_.push_back(block); }
  Block* TakeDeferred();

  // Notes that a kernel begins and ends to use the block.
  void BeginUse(Block* block);
  void EndUse(Block* block);
  // Notes that the address is known outside from here on.
  void MarkPinned(Block* block);
  // Notes that nobody outside knows it any more.
  void MarkUnpinned(Block* block);
  // Notes that the block is to stay in fast memory, or need not any more.
  void MarkKeptFast(Block* block);
  void ForgetKeptFast(Block* block);

  // ---- Room ----

  // Takes the smallest free extent of the tier that holds the block.
  std::optional<Place> TakeRoom(int tier, Block* block);
  // Takes that of the first slow tier that has one.
  std::optional<Place> TakeSlowRoom(Block* block);
  // Takes room there, or anywhere in the same tier.
  std::optional<Place> TakeRoomNear(Place place, Block* block);
  bool TakeRoomAt(Place place, Block* block);
  void GiveBack(Place place);

  // ---- Moves ----

  // Returns whether it has a storage that lives and whose address nobody else
  // knows, and no move of it is under way.
  bool CanMove(const Block& block) const;
  // Returns whether the same holds and no kernel uses it.
  bool Movable(const Block& block) const;
  // Returns whether the same holds, now or once a copy of it has arrived that is
  // under way while the block stays.
  bool CanLeave(const Block& block) const;
  // Returns whether the storage says that its address is known outside.
  bool StorageStays(const Block& block) const;

  // Publishes a place once the block's bytes have arrived in room that it
  // holds: its storage points there from then on, and the old place is given
  // back, or kept. Returns false if the storage is dying; then the new room is
  // given back.
  bool SetPlace(Block* block, Place place, bool keeps_source = false);

  // Moves the bytes of a movable block, and its storage, to other room of its
  // tier, which is addressable; the two may overlap. A kept copy stays one.
  // Returns false if something else is there, if the storage is dying, or if the
  // block lies beyond the capacity of its tier.
  bool Shift(Block* block, Place place);

  // Notes that a copy is made of the block, which is in an addressable tier.
  void NoteCopied(Block* block);
  // Returns whether the copy is an old one by now, since somebody wrote the block
  // whom nobody saw. Counts that.
  bool WasWrittenUnseen(const Block& block);
  // Returns the block, which is movable, to its kept copy. Returns false if it
  // has none, or not its bytes.
  bool ReturnToKept(Block* block);
  void GiveUpKept(Block* block);
  // Gives up kept copies; returns whether that gave any room back.
  bool GiveUpAllKept();
  // Notes that the kernel will write the operand, or has written it.
  void NoteWrite(const KernelOperand& operand);

  const UnseenWrites& unseen_writes() const { return unseen_writes_; }

  // ---- Bytes ----

  void CountUnmanaged(int64_t bytes) { unmanaged_.Add(bytes); }
  int64_t unmanaged_peak_bytes() const { return unmanaged_.peak(); }
  int64_t tensor_bytes() const { return managed_bytes_ + unmanaged_.now(); }
  int64_t unmanaged_bytes() const { return unmanaged_.now(); }
  // Returns the rooms of blocks that are pinned, or are to stay in fast memory.
  int64_t pinned_bytes() const { return pinned_bytes_; }
  void BeginStep();
  void NotePeaks();
  const Peaks& peaks() const { return peaks_; }

  // ---- Time ----

  void AdvanceClock() { ++clock_; }
  int64_t clock() const { return clock_; }
  void Touch(Block* block) {
    NoteUse(*block, clock_);
    order_.Use(block);
  }
  // Returns whether a kernel is expected to use the block soon, as
  // fetches_ahead.h says.
  bool IsExpected(const Block& block) const {
    return block.expected_until >= clock_;
  }
  // Grows whenever the bytes or the place of a block may have changed.
  int64_t change_count() const { return clock_ + births_ + moves_; }

 private:
  bool StorageMoves(const Block& block) const;

  const std::vector<MappedTier>* tiers_;
  StorageAccess storage_;
  std::vector<std::unique_ptr<Arena>> arenas_;  // by tier
  std::unordered_set<Block*> all_;
  std::vector<Block*> deferred_;
  uint64_t next_id_ = 1;

  CountedBytes unmanaged_;
  int64_t managed_bytes_ = 0;  // of all blocks
  int64_t pinned_bytes_ = 0;   // rooms of those that stay
  Peaks peaks_;

  int64_t clock_ = 0;
  UseOrder order_;  // of all()
  int64_t births_ = 0;
  int64_t moves_ = 0;
  UnseenWrites unseen_writes_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_PLACED_BLOCKS_H_
