// Measures what a move takes beside its copy: the job hands it to the migrator,
// which may sleep, and sees the answer.
//
//   const int64_t ns = MeasureHandOverNs(std::move(rooms), first);
#ifndef STOWAGE_AGENTS_ENGINE_HAND_OVER_H_
#define STOWAGE_AGENTS_ENGINE_HAND_OVER_H_

#include <cstdint>
#include <vector>

#include "agents/engine/move_order.h"
#include "agents/engine/tier_room.h"

namespace stowage::agent {

// Carries out `order` nine times and returns the least that one took without
// its copy, in whole 10 us: other work of the host makes wake-ups late, and two
// agents on a host are to find the same. Blocks some milliseconds.
int64_t MeasureHandOverNs(std::vector<TierRoom> rooms, const MoveOrder& order);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_HAND_OVER_H_
