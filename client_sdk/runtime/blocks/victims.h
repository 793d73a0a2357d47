// Chooses which blocks leave the fast tier so that an allocation fits.
//
//   std::optional<Victims> victims =
//       ChooseVictims(arena, room_bytes, now, movable);
//   for (Block* block : victims->blocks) Evict(block);
//
// Pure functions.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_VICTIMS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_VICTIMS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "client_sdk/runtime/blocks/arena.h"

namespace stowage::runtime {

struct Victims {
  int64_t offset_bytes = 0;  // where the room begins once they have left
  std::vector<Block*> blocks;
};

// Returns the run of neighbouring free extents and movable blocks that holds
// `room_bytes` and costs least; nullopt if no run is long enough. A block costs
// the bytes that are copied until it is back, over the number of kernels that
// are expected to pass until then (use_distance.h): what is not needed for long
// goes first, and what has a copy in slow memory, and one hole is left rather
// than many. Linear in the extents.
std::optional<Victims> ChooseVictims(
    const Arena& arena, int64_t room_bytes, int64_t now_kernel,
    const std::function<bool(const Block&)>& movable);

// Returns the run of free extents and movable blocks that holds `room_bytes`
// and begins lowest.
std::optional<Victims> LowestVictims(
    const Arena& arena, int64_t room_bytes,
    const std::function<bool(const Block&)>& movable);

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_VICTIMS_H_
