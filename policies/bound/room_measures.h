// Counts what fits into a room, in several ways, for the lower bound.
//
//   RoomMeasures measures = MakeRoomMeasures(graph, room, kernels);
//
// Bytes alone let two thirds of three tensors be where two of them fit. Tensors
// are whole, so they can be counted as well. In parts of 1/(m + 1) of the room,
// a tensor of b bytes counts for the parts that it exceeds, ceil((m + 1) b /
// room) - 1, and all tensors that fit together count for m at most (a
// Chvatal-Gomory cut; docs/lower-bound.md).
//
// Pure function.
#ifndef STOWAGE_POLICIES_BOUND_ROOM_MEASURES_H_
#define STOWAGE_POLICIES_BOUND_ROOM_MEASURES_H_

#include <cstdint>
#include <vector>

#include "policies/model/graph.h"
#include "policies/planning/kernel_room.h"

namespace stowage::policies {

// The measures: bytes, then counts for m = 1, 2, ...
inline constexpr int kRoomMeasures = 6;

struct RoomMeasures {
  // By priced kernel, by measure: how much there is.
  std::vector<double> there;
  // The sizes, ascending, of tensors that count for something somewhere.
  std::vector<int64_t> sizes;
  // By size, by priced kernel, by measure: how much such a tensor takes.
  std::vector<std::vector<double>> taken;
  // By tensor: the index of its size, or -1.
  std::vector<int> size_of;
};

// Measures the room at `kernels`, whose room has a price.
RoomMeasures MakeRoomMeasures(const Graph& graph, const KernelRoom& room,
                              const std::vector<KernelIndex>& kernels);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_ROOM_MEASURES_H_
