// Sets room aside ahead of all migration: for tensors that cannot be elsewhere
// and for short-lived ones, which never migrate (Sentinel IV-C, ReDL III-C).
//
//   ReservedRoom reserved = HoldReservedRoom(
//       graph, workload, layers, intervals, stage_all, room);
//   // reserved.managed[t]: its uses remain to be decided about
#ifndef STOWAGE_POLICIES_INTERVALS_RESERVED_ROOM_H_
#define STOWAGE_POLICIES_INTERVALS_RESERVED_ROOM_H_

#include <cstdint>
#include <vector>

#include "policies/intervals/fast_room.h"
#include "policies/intervals/layers.h"
#include "policies/planning/plan_builder.h"
#include "policies/planning/workload.h"

namespace stowage::policies {

struct ReservedRoom {
  std::vector<Residency> residencies;
  // By tensor: whether it is movable and has no room of its own.
  std::vector<bool> managed;
  // How many short-lived tensors are managed for lack of room.
  int64_t homeless = 0;
};

// Holds the room in `room`, which has to be empty. Short-lived tensors are fast
// for all of their lives; their addresses share the low end of the arena. In
// each interval their room is reserved from the start on, and shrinks as they
// die. With `stage_all`, the kernels' staged tensors get room before that.
ReservedRoom HoldReservedRoom(const Graph& graph, const Workload& workload,
                              const Layers& layers, const Intervals& intervals,
                              bool stage_all, FastRoom& room);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_INTERVALS_RESERVED_ROOM_H_
