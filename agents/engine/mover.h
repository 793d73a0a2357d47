// Carries out one move between the tiers of a job, and takes as long as the
// medium would.
//
//   Mover mover(&rooms, &stop);
//   int error = mover.Move({.from_tier = 0, .to_tier = 1, .size_bytes = 4096});
#ifndef STOWAGE_AGENTS_ENGINE_MOVER_H_
#define STOWAGE_AGENTS_ENGINE_MOVER_H_

#include <cstdint>
#include <vector>

#include "agents/engine/move_order.h"
#include "agents/engine/tier_room.h"
#include "timing/bell.h"

namespace stowage::agent {

// Returns how many processors this process may use.
int HostCores();

// Makes each copy with several threads: as many as make the media faster
// (DeepTM II-A: 8 that write Optane, else 16), and no more than the copy is
// worth, the host's arbitration has places for, or there are cores. Makes it in
// pieces, each in its turn, so that other jobs never wait for all of it. There
// is one mover a job. Thread-safe. `rooms` and `stop` must outlive it.
class Mover {
 public:
  Mover(const std::vector<TierRoom>* rooms, const Bell* stop,
        int cores = HostCores())
      : rooms_(rooms), stop_(stop), cores_(cores) {}

  // Returns 0, or an errno if nothing or only a part was copied; the source is
  // then whole. EINVAL for an order that makes no sense. Blocks until it is the
  // copy's turn, during the copy and, if the medium is emulated, as long as the
  // real one would take; `stop` cuts this last wait short.
  [[nodiscard]] int Move(const MoveOrder& order) const;

 private:
  int MovePiece(const MoveOrder& piece, int64_t* due_ns) const;
  void AwaitMedium(int64_t end_ns) const;

  const std::vector<TierRoom>* const rooms_;
  const Bell* const stop_;
  const int cores_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_MOVER_H_
