// Divides the bytes under the limit.
//
//   FastSpace space(&client, &blocks, &mover, &evictor);
//   space.FollowPeak(step, tensor_bytes, kernel_bytes);
//   if (space.ExtendWindow(other_bytes)) {  // while a kernel streams
//     Run(kernel);
//     space.EndExtension();
//   }
//   space.EndStep(step);
//   space.CheckLimit();
//
// The bytes under the limit, from the beginning of the arena:
//
//   0                                            capacity          limit
//   | window | tensors, and the extension of the window | reserve |
//
// The arena ends where the limit does, less a reserve for storages below the
// managed size, which live outside: their peak so far and an eighth more. The
// window, through which kernels stream operands that do not fit, has the lowest
// place that it can have. A kernel that streams gets an extension: all room
// that it does not need otherwise, or, under a plan, the room that the plan has
// for it.
//
// Invariants:
//  * Everything in the arena lies below its capacity, but for blocks that could
//    not move when the arena shrank; nothing new is put there.
//  * The window's size changes only until the second step has ended and when
//    another limit is ordered, and never while it is extended: profiles and
//    plans count on it. From then on the reserve changes only when small
//    storages outgrow it.
//  * One kernel at most has an extension. While it has, the window is there.
//  * Fast memory above the capacity is given back to the host when nothing is
//    in it.
//
// The arena and the window follow the limit at three moments: when the tensor
// peak rises under a share, at the end of a step, and when the agent orders
// another limit.
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_SPACE_FAST_SPACE_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_SPACE_FAST_SPACE_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/blocks/placed_blocks.h"
#include "client_sdk/runtime/connection/session_client.h"
#include "client_sdk/runtime/moves/mover.h"
#include "client_sdk/runtime/space/evictor.h"
#include "client_sdk/runtime/space/fast_limit.h"

namespace stowage::runtime {

class FastSpace {
 public:
  // All arguments must outlive it.
  FastSpace(SessionClient* client, PlacedBlocks* blocks, Mover* mover,
            Evictor* evictor);
  FastSpace(const FastSpace&) = delete;
  FastSpace& operator=(const FastSpace&) = delete;

  const FastLimit& limit() const { return limit_; }
  int64_t window_bytes() const { return window_block_.room_bytes(); }
  // Returns the bytes that the arena has for tensors.
  int64_t tensor_bytes() const {
    return blocks_->fast().capacity_bytes() - window_bytes();
  }
  // Returns the bytes that no plan can use, beside the room of pinned tensors.
  // Without a limit nothing streams, and the window of the whole arena would be
  // a large part of what a captured graph leaves to plans for smaller limits.
  int64_t overhead_bytes() const;

  // Returns by how much the reserve grows when it does so next.
  int64_t growth_bytes() const;

  // ---- The limit ----

  // These let the limit and the arena follow the need of the job. They may
  // evict, and throw as Evictor::Evict() does.
  void FollowUnmanaged();
  void FollowPeak(int64_t step, int64_t tensor_bytes, int64_t kernel_bytes);
  // The same for a block that a kernel allocates. In the first step a share may
  // grow for it where what the kernel uses stands in its way.
  void FollowBirth(int64_t step, const Block& birth, int64_t kernel_bytes);
  void EndStep(int64_t step);
  // Returns whether the agent has ordered another limit.
  bool IsOrdered() const;
  // Takes the limit that the agent has ordered, if it has, between two steps:
  // evicts all that is beyond it, and answers. The old limit stays if the new
  // one is too small, or the slow tier too full. Returns whether the limit is
  // another one now.
  bool FollowOrder();
  // Takes this limit in the same way. Returns session::kLimitObeyed, or what
  // LimitArea::refused_below_bytes is to say.
  int64_t TakeLimit(const session::LimitOrder& order);
  // Throws std::runtime_error if the limit is too small for what was seen. Raises
  // a share that is too small for any job; may evict then, as above.
  void CheckLimit();
  // Returns the least limit that leaves room for all that stays in fast memory.
  int64_t LeastLimitBytes() const { return LeastLimitBytes(reserve_bytes_); }
  // Makes room for a tensor that comes from outside the arena. Throws
  // std::runtime_error if the limit of the step is known and has none. May
  // evict, as above.
  void AdmitUnmanaged(int64_t bytes, int64_t step);
  // Returns whether with so many bytes more what is not in the arena would have
  // more than an eighth of the limit.
  bool IsCrowdedBy(int64_t bytes) const;
  // Returns whether a tier is large enough for a new block. One that fits none is
  // not to be followed: a share of it would be no limit.
  bool HasTierFor(const Block& birth, int64_t step) const;
  // Returns whether a new block can be placed at all. In the first step of a
  // job with an absolute limit, a tensor larger than the arena shows that the
  // limit is too small; later allocations of that step come from outside until
  // the job is refused. In later steps such a tensor is streamed.
  bool Admits(const Block& block, int64_t step);

  // ---- The window ----

  // Gives the window all room that a kernel does not need for `other_bytes`.
  // Returns false if there is no room for a window larger than the one set aside
  // by a quarter, or if another kernel has it.
  bool ExtendWindow(int64_t other_bytes);
  // Gives it `bytes` at this offset of the arena, and evicts what stands there.
  // Returns false if there are none, or if what is there cannot move. Throws as
  // Evictor::Evict() does.
  bool ExtendWindowAt(int64_t offset_bytes, int64_t bytes);
  // Gives it a hole, and evicts nothing. Returns false if none is larger than
  // the window set aside by a quarter.
  bool ExtendWindowIntoHole();
  // Returns whether a kernel has it.
  bool extends_window() const { return extended_; }
  void EndExtension();

  // Touches the arena's pages up to `end_bytes`, so that they are charged to
  // the job and not to the agent, which may be the next to write them.
  void TouchUpTo(int64_t end_bytes);

 private:
  int64_t LeastLimitBytes(int64_t reserve_bytes) const;
  bool HasRoomFor(const Block& birth) const;
  void FitAll();
  void FitWindow();
  void FitReserve();
  void FitArena();
  void EvictAbove(int64_t capacity_bytes);
  // Gives the window a share of `most_bytes`, or less, which `take` takes for
  // the block of the extension.
  bool ExtendWindow(int64_t most_bytes,
                    const std::function<std::optional<Place>()>& take);
  bool UseExtension(std::optional<Place> room);
  // Touches pages of the arena. A window is extended over pages that have been
  // touched: pieces of it are mapped one by one, and a page that is first
  // touched through such a mapping is a small one for good. The window that is
  // set aside is small, and often not used.
  void Touch(int64_t offset_bytes, int64_t bytes);

  SessionClient* client_;
  PlacedBlocks* blocks_;
  Mover* mover_;
  Evictor* evictor_;
  FastLimit limit_;
  Block window_block_;     // holds the window's room
  Block extension_block_;  // and that of its extension, if it is extended
  bool extended_ = false;
  int64_t reserve_bytes_ = 0;
  int64_t largest_room_bytes_ = 0;  // of any block so far
  int64_t touched_bytes_ = 0;       // of the arena, from its beginning
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_SPACE_FAST_SPACE_H_
