// Makes room in the fast arena by moving blocks out of it, and brings blocks
// back into it.
//
//   Evictor evictor(&blocks, &mover, &segment->report);
//   std::optional<Place> room = evictor.TakeFastRoom(block);
//   if (evictor.BeginFetch(block)) evictor.FinishFetch(block);
//   evictor.Evict(block);
//
// victims.h chooses which blocks leave, among those that are movable: no kernel
// uses them and nobody knows their address. A block leaves for its kept copy if
// it has one, else for the first slow tier that takes it. What comes from a slow
// tier keeps its place there, for the next time that it leaves. If all tiers are
// full, the evictor gives up kept copies and tries again, and fails only then.
//
// Nothing is lost on the way: an exception leaves every block where it was or
// where it had already arrived, and leaves no room taken.
//
// The evictor holds no state of its own. The Job's mutex guards what it works
// on.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_SPACE_EVICTOR_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_SPACE_EVICTOR_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client_sdk/runtime/blocks/placed_blocks.h"
#include "client_sdk/runtime/blocks/victims.h"
#include "client_sdk/runtime/moves/mover.h"
#include "client_sdk/session/session.h"

namespace stowage::runtime {

class Evictor {
 public:
  // All arguments must outlive it.
  Evictor(PlacedBlocks* blocks, Mover* mover, session::Report* report)
      : blocks_(blocks), mover_(mover), report_(report) {}

  // Takes room in the fast arena for a block that is not there, and evicts
  // others if need be. Returns nullopt if even that makes none. May throw, as
  // Evict().
  std::optional<Place> TakeFastRoom(Block* block);
  // Takes room in the fast arena that is free, or that others leave which have
  // a copy and are not expected. Returns nullopt if there is none, and waits for
  // nothing.
  std::optional<Place> TakeRoomAtOnce(Block* block);
  // Takes this room in the fast arena for a block, and evicts what stands there.
  // Returns false, and evicts nothing, if something that cannot move is there,
  // or if the arena ends before. May throw, as Evict().
  bool TakeFastRoomAt(Place place, Block* block);
  // Evicts all others that stand in the block's room there. Returns false, and
  // evicts nothing, as TakeFastRoomAt() does, and throws as it.
  bool ClearRoomAt(Place place, const Block& block);
  // Evicts the victims and takes their room, or any. Returns nullopt if there
  // are no victims.
  std::optional<Place> ClearRoom(const std::optional<Victims>& victims,
                                 Block* block);
  // Finds the lowest room in the fast arena that the block can have and does
  // not have yet.
  std::optional<Victims> LowestRoom(const Block& block) const;

  // Moves a movable block to a slow tier. Throws std::runtime_error if none
  // takes it.
  void Evict(Block* block);
  // Moves a movable block to a place that `accepts`, in slow memory unless it
  // comes from there. Returns false if there is none, and the block is in some
  // place. Throws as Evict() and FinishFetch() do.
  bool MoveWhere(Block* block, const std::function<bool(Place)>& accepts);
  // Begins to bring a block into the fast arena; false if there is no room for
  // it. Throws as Evict(), and std::runtime_error if the block cannot be read.
  bool BeginFetch(Block* block);
  // Waits until it is there. Throws std::runtime_error if it cannot be read.
  void FinishFetch(Block* block);
  // Brings a block to room that has been taken. Throws as FinishFetch().
  void FetchTo(Place room, Block* block);

 private:
  std::optional<Victims> Choose(
      const Block& block,
      const std::function<bool(const Block&)>& leaves) const;
  void EvictAll(const std::vector<Block*>& blocks);
  bool BeginEviction(Block* block);
  [[noreturn]] void FailToRead(const Block& block, int error) const;

  PlacedBlocks* blocks_;
  Mover* mover_;
  session::Report* report_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_SPACE_EVICTOR_H_
