// Brings tensors that are in fast memory to other places there, as a plan wants
// them that begins after the step of another one.
//
//   Relayout relayout(&blocks, &mover, &evictor);
//   relayout.Make(targets);  // each in the fast tier, and to be elsewhere there
//
// A place may be held by a tensor that has to go elsewhere itself, or by the
// tensor whose place it is to be, shifted by a little. So tensors go in an order
// in which each finds its place left, and then the bytes are copied within
// memory. Of tensors that wait for one another, the smallest steps aside into a
// hole, once; where there is none it leaves fast memory, as do those that are no
// target and in the way. O(n log n) for n tensors, but for those that step aside.
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLACING_RELAYOUT_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLACING_RELAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/blocks/placed_blocks.h"
#include "client_sdk/runtime/moves/mover.h"
#include "client_sdk/runtime/plans/plan_tensors.h"
#include "client_sdk/runtime/space/evictor.h"

namespace stowage::runtime {

class Relayout {
 public:
  // All arguments must outlive it.
  Relayout(PlacedBlocks* blocks, Mover* mover, Evictor* evictor)
      : blocks_(blocks), mover_(mover), evictor_(evictor) {}
  Relayout(const Relayout&) = delete;
  Relayout& operator=(const Relayout&) = delete;

  // Brings the blocks, which are movable and in the fast tier, to their places
  // there, which do not overlap. A block that cannot go to its place leaves the
  // tier. Throws as Evictor::Evict() does. Call it once.
  void Make(const std::vector<PlanTarget>& targets);

 private:
  struct Target {
    Block* block = nullptr;
    Place place;
    std::vector<size_t> blocks;  // targets in whose place the block stands
    int blockers = 0;            // blocks that stand in `place` and are to go
    bool aside = false;          // has stepped aside
    bool done = false;
  };
  // Of targets that wait for one another, the one to step aside comes first.
  using Turn = std::tuple<bool, int64_t, size_t>;

  void Begin(const std::vector<PlanTarget>& targets);
  Turn TurnOf(size_t index) const;
  // Notes which targets wait for the block, where it stands now, and that they
  // do no more.
  void NoteBlocked(size_t index);
  void NoteUnblocked(size_t index);
  void Go(size_t index);
  void StepAside(size_t index);
  void Finish(size_t index);
  void Leave(Block* block);

  PlacedBlocks* blocks_;
  Mover* mover_;
  Evictor* evictor_;
  std::vector<Target> targets_;
  std::map<int64_t, size_t> by_place_;  // targets, by offset
  std::set<Turn> pending_;              // those that are not done
  // Among them, those that nobody blocks, or that have been blocked again.
  std::vector<size_t> free_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLACING_RELAYOUT_H_
