// Carries out one move between the tiers of a job, as long as the medium would
// take for it.
//
//   Mover mover(&rooms, &stop);
//   int error = mover.Move({.from_tier = 0, .to_tier = 1, .size_bytes = 4096});
#ifndef STOWAGE_AGENTS_ENGINE_MOVER_H_
#define STOWAGE_AGENTS_ENGINE_MOVER_H_

#include <cstdint>
#include <vector>

#include "absl/synchronization/notification.h"
#include "agents/engine/tier_room.h"

namespace stowage::agent {

// A copy of what a session::MoveRequest asks for: no longer shared.
struct MoveOrder {
  int32_t from_tier = 0;
  int32_t to_tier = 0;
  int64_t from_offset_bytes = 0;
  int64_t to_offset_bytes = 0;
  int64_t size_bytes = 0;
};

// Thread-safe. `rooms` and `stop` must outlive it.
class Mover {
 public:
  Mover(const std::vector<TierRoom>* rooms, const absl::Notification* stop)
      : rooms_(rooms), stop_(stop) {}

  // 0, or an errno when nothing or only a part was copied; the source is whole.
  // EINVAL for an order that makes no sense. Blocks: for the medium's turn, for
  // the copy, and with emulated media for the time theirs takes, which `stop`
  // cuts short.
  [[nodiscard]] int Move(const MoveOrder& order) const;

 private:
  const std::vector<TierRoom>* const rooms_;
  const absl::Notification* const stop_;
};

// CLOCK_MONOTONIC, which the job reads too.
int64_t MonotonicNs();

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_MOVER_H_
