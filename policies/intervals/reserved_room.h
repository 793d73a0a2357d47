// Room that is set aside ahead of all migration: for what cannot be elsewhere
// and for short-lived tensors, which never migrate (Sentinel IV-C, ReDL III-C).
//
//   ReservedRoom reserved = HoldReservedRoom(graph, workload, layers, intervals,
//                                            stage_all, room);
//   // reserved.managed[t]: to be decided about, use by use
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
  // By tensor: movable and without room of its own.
  std::vector<bool> managed;
  // Short-lived tensors among the managed ones, for lack of room.
  int64_t homeless = 0;
};

// Holds the room in `room`, which has to be empty. Short-lived tensors are fast
// for all of their lives; their addresses share the low end of the arena. In
// each interval their room is reserved from the start on, less and less of it
// as they are done. With `stage_all`, the kernels' staged tensors have room
// before that.
ReservedRoom HoldReservedRoom(const Graph& graph, const Workload& workload,
                              const Layers& layers, const Intervals& intervals,
                              bool stage_all, FastRoom& room);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_INTERVALS_RESERVED_ROOM_H_
