// Tells when the copy lane of one direction is busy during a step. Policies use
// it to see whether a copy can hide behind kernels; the simulator has the last
// word.
//
//   LaneSchedule lane;
//   int64_t start_ns = lane.EarliestStart(ready_ns, copy_ns);
//   lane.Reserve(start_ns, copy_ns);
//
// Not thread-safe.
#ifndef STOWAGE_POLICIES_SIMULATE_LANE_SCHEDULE_H_
#define STOWAGE_POLICIES_SIMULATE_LANE_SCHEDULE_H_

#include <cstdint>

#include "absl/container/btree_map.h"

namespace stowage::policies {

class LaneSchedule {
 public:
  // Returns the first start at or after `after_ns` with `duration_ns` free.
  int64_t EarliestStart(int64_t after_ns, int64_t duration_ns) const;

  // Returns the last start with `duration_ns` free that ends by `before_ns`;
  // negative if there is none after time 0.
  int64_t LatestStart(int64_t before_ns, int64_t duration_ns) const;

  // Reserves a time that is free.
  void Reserve(int64_t start_ns, int64_t duration_ns);

  // Undoes a Reserve with the same arguments.
  void Release(int64_t start_ns, int64_t duration_ns);

 private:
  // Start to end of busy times; none meets another.
  absl::btree_map<int64_t, int64_t> busy_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SIMULATE_LANE_SCHEDULE_H_
