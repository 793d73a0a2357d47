// Ways to count what fits into a room, for the lower bound.
//
//   RoomMeasures measures = MakeRoomMeasures(graph, room, kernels);
//
// Bytes alone let two thirds of three tensors be where two of them fit. Tensors
// are whole, so they may be counted as well: in parts of 1/(m + 1) of the room,
// a tensor of b bytes counts for the parts that it exceeds, ceil((m + 1) b /
// room) - 1, and all that fit together count for m at most (a Chvatal-Gomory
// cut; docs/lower-bound.md).
//
// Pure function.
#ifndef STOWAGE_POLICIES_BOUND_ROOM_MEASURES_H_
#define STOWAGE_POLICIES_BOUND_ROOM_MEASURES_H_

#include <cstdint>
#include <vector>

#include "policies/model/graph.h"
#include "policies/planning/kernel_room.h"

namespace stowage::policies {

// Bytes, then counts for m = 1, 2, ...
inline constexpr int kRoomMeasures = 6;

struct RoomMeasures {
  // By priced kernel, by measure: what is there.
  std::vector<double> there;
  // Sizes of tensors, ascending, that count for something somewhere.
  std::vector<int64_t> sizes;
  // By size, by priced kernel, by measure: what such a tensor takes of each.
  std::vector<std::vector<double>> taken;
  // By tensor: the index of its size, or -1.
  std::vector<int> size_of;
};

// `kernels`: those whose room has a price.
RoomMeasures MakeRoomMeasures(const Graph& graph, const KernelRoom& room,
                              const std::vector<KernelIndex>& kernels);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_ROOM_MEASURES_H_
