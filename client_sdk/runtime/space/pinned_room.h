// Keeps the room of tensors whose address is known outside.
//
//   PinnedRoom pinned(&blocks, &mover, &evictor, &space);
//   bool stays = pinned.SetAside(block);    // before its address is told
//   const uint64_t view = pinned.AddView(block);
//   pinned.EndView(view);                   // the array has died
//   for (Block* block : pinned.FindStaying(step)) pinned.SetAsideInPlace(block);
//   pinned.BeginStep();
//   if (pinned.FindPlanBegin(plan)) {       // the plan has room between them
//     StartPlan(plan, pinned.plan_begin_bytes());
//   }
//   pinned.EndStep(signature);
//
// The fast arena, from its beginning:
//
//   0                                                                capacity
//   | window | set aside | a plan's tensors | its window | set aside, above |
//            |<- below ->|                               |<---- above ----->|
//
// No plan can move such a tensor. So before the address is told the tensor is
// set aside: the lowest room of the fast arena becomes its own, next to the
// window's, and plans begin above it. The profile regards it as dead from then
// on, and counts its room as that of unmanaged storages.
//
// A tensor that cannot move at that moment (a kernel runs on it, it is a
// library's scratch, it does not fit) stays where it is, pinned. If it stays in
// fast memory, it is set aside in place when a step begins without a plan, or
// with one that has it elsewhere. It then belongs to the nearer end of the
// arena, and plans begin above it or end below it.
//
// An array that sees a tensor usually dies at once: a norm is computed, a
// picture is drawn. So from the second step on such a tensor is pinned where it
// is, in the room that the plan has for it, until the last array of it has
// died. Where one lives to the end of the step, or the plan wants to move the
// tensor meanwhile, tensors of that birth are set aside from the next step on.
//
// Invariants:
//  * A block that is set aside is in fast memory and does not move while its
//    address is known.
//  * A plan's own room is free of blocks that are set aside while it drives:
//    SetAside() is called under a plan only if FitsBelowPlan() holds.
//  * The room kept free for steps of one signature grows at the end of any step
//    that needed more, and shrinks only when a profile is written, to what was
//    needed since the last one: the plan that comes back counts on it.
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_SPACE_PINNED_ROOM_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_SPACE_PINNED_ROOM_H_

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/blocks/placed_blocks.h"
#include "client_sdk/runtime/moves/mover.h"
#include "client_sdk/runtime/plans/plan_table.h"
#include "client_sdk/runtime/plans/plan_tensors.h"
#include "client_sdk/runtime/space/evictor.h"
#include "client_sdk/runtime/space/fast_space.h"

namespace stowage::runtime {

class PinnedRoom {
 public:
  // All arguments must outlive it.
  PinnedRoom(PlacedBlocks* blocks, Mover* mover, Evictor* evictor,
             const FastSpace* space)
      : blocks_(blocks), mover_(mover), evictor_(evictor), space_(space) {}
  PinnedRoom(const PinnedRoom&) = delete;
  PinnedRoom& operator=(const PinnedRoom&) = delete;

  // ---- Setting aside ----

  // Returns whether a movable block would be set aside below the room of the
  // step's plan. Waits for moves that nothing else waits for.
  bool FitsBelowPlan(const Block& block);
  // Moves a movable block to the lowest room that it can have, and sets it
  // aside there. Returns false if it is not in fast memory after that, and
  // is not set aside. Throws as Evictor::Evict() and Evictor::FetchTo() do.
  bool SetAside(Block* block);

  // ---- Arrays ----

  // Notes that an array knows the address of the block, which is not pinned for
  // good. Returns what EndView() takes.
  uint64_t AddView(Block* block);
  // Notes that the array has died. Does nothing if the block has died before,
  // or has been pinned for good meanwhile.
  void EndView(uint64_t view);
  // Returns the block of the view; null if it is over.
  const Block* Viewed(uint64_t view) const;
  // Forgets the arrays of a block that dies, or is pinned for good.
  void ForgetViews(Block* block);
  // Notes that arrays which are alive now outlive what a plan can wait for.
  void NoteLastingViews();
  // Returns whether arrays of blocks that were born like this one did.
  bool ViewsLast(const Block& block) const {
    return lasting_.contains(block.birth_tag);
  }

  // ---- What stays ----

  // Returns whether the block stays in fast memory for good: its address is
  // known outside, or no storage has been seen behind it for a whole step, so
  // it belongs to a library.
  bool Stays(const Block& block, int64_t step) const;
  // Returns whether a block of a plan stays where the plan does not have it.
  // The plan can never begin then; a block that merely stands in its way may be
  // gone in the next step.
  bool AnyStaysElsewhere(const std::vector<PlanTarget>& targets,
                         int64_t step) const;
  // Returns the blocks that stay and are not set aside. None while there is no
  // limit, as nothing has to move then.
  std::vector<Block*> FindStaying(int64_t step) const;
  // Pins a block that stays and sets it aside where it is.
  void SetAsideInPlace(Block* block);

  // ---- Room that plans leave alone ----

  void BeginStep() { step_rooms_ = {}; }
  // Notes that the step had this signature; the next one like it may need as
  // much room.
  void EndStep(uint64_t signature);
  // Returns the bytes set aside that a profile of this signature is to report,
  // and gives back what was not needed since the last profile.
  int64_t TakeBytes(uint64_t signature);

  // Finds the room between what is set aside, for the step that begins. Returns
  // false if the plan does not fit there.
  bool FindPlanBegin(const PlanTable& plan);
  // Returns where the fast room of the step's plan begins.
  int64_t plan_begin_bytes() const { return plan_begin_bytes_; }
  // Returns how far below the end of the arena it ends.
  int64_t plan_above_bytes() const { return plan_above_bytes_; }

 private:
  // Room at the ends of the fast arena, beside the window's.
  struct EndRooms {
    int64_t below_bytes = 0;
    int64_t above_bytes = 0;
    int64_t bytes() const { return below_bytes + above_bytes; }
    void Cover(const EndRooms& other);
  };
  struct Kept {
    EndRooms rooms;
    EndRooms recent;  // the most needed since the last profile
  };

  void CoverSetAside();

  std::unordered_map<uint64_t, Block*> viewed_;  // by id
  std::unordered_set<uint64_t> lasting_;         // birth tags
  PlacedBlocks* blocks_;
  Mover* mover_;
  Evictor* evictor_;
  const FastSpace* space_;
  EndRooms step_rooms_;                      // the most needed in this step
  std::unordered_map<uint64_t, Kept> kept_;  // by signature
  int64_t plan_begin_bytes_ = 0;
  int64_t plan_above_bytes_ = 0;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_SPACE_PINNED_ROOM_H_
