// Plays the process's side of a job's move lanes.
//
//   LaneClient lanes(segment->lanes);
//   const session::MoveRequest& request =
//       lanes.Move(session::kLaneOut, {.to_tier = 1, .size_bytes = 4096});
//   EXPECT_EQ(request.status, session::kMoveDone);
#ifndef STOWAGE_TESTS_UNIT_AGENTS_LANE_CLIENT_H_
#define STOWAGE_TESTS_UNIT_AGENTS_LANE_CLIENT_H_

#include <cstdint>
#include <vector>

#include "agents/engine/move_order.h"
#include "client_sdk/session/futex.h"
#include "client_sdk/session/session.h"

namespace stowage::agent {

// Use one thread for each lane. The migrator may live in another process.
class LaneClient {
 public:
  // `lanes` points to kLaneCount lanes and must outlive the client.
  explicit LaneClient(session::MoveLane* lanes) : lanes_(lanes) {}

  // Hands a move to the migrator; returns its number within the lane.
  uint64_t Issue(session::Lane which, const MoveOrder& order) {
    return IssueAll(which, {order});
  }

  // Hands over several at once: the migrator sees all or none. Returns the
  // number of the last one.
  uint64_t IssueAll(session::Lane which, const std::vector<MoveOrder>& orders) {
    session::MoveLane& lane = lanes_[which];
    uint64_t number = lane.issued.load();
    for (const MoveOrder& order : orders) {
      session::MoveRequest& request =
          lane.entries[number++ % session::kLaneEntries];
      request.from_tier = order.from_tier;
      request.to_tier = order.to_tier;
      request.from_offset_bytes = order.from_offset_bytes;
      request.to_offset_bytes = order.to_offset_bytes;
      request.size_bytes = order.size_bytes;
      request.deadline_ns = order.deadline_ns;
      request.status = session::kMovePending;
    }
    lane.issued.store(number);
    if (lane.agent_sleeps.load() != 0) session::FutexRing(lane.issue_bell);
    return number - 1;
  }

  // Blocks until the move is completed.
  const session::MoveRequest& Await(session::Lane which, uint64_t number) {
    session::MoveLane& lane = lanes_[which];
    while (lane.completed.load() <= number) {
      const uint32_t bell = lane.done_bell.load();
      lane.process_sleeps.store(1);
      if (lane.completed.load() <= number) {
        session::FutexWait(lane.done_bell, bell, 1'000'000'000);
      }
      lane.process_sleeps.store(0);
    }
    return lane.entries[number % session::kLaneEntries];
  }

  const session::MoveRequest& Move(session::Lane which,
                                   const MoveOrder& order) {
    return Await(which, Issue(which, order));
  }

 private:
  session::MoveLane* const lanes_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_TESTS_UNIT_AGENTS_LANE_CLIENT_H_
