#include "agents/engine/hand_over.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <thread>
#include <utility>

#include "agents/engine/migrator.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/futex.h"
#include "client_sdk/session/session.h"

namespace stowage::agent {
namespace {

constexpr int kHandOvers = 9;
constexpr int64_t kRoundToNs = 10'000;
constexpr int64_t kLookAgainNs = 20'000'000;

// Waits as a job does (client_sdk/runtime/moves/move_lanes.cc).
void Await(session::MoveLane& lane, uint64_t number) {
  while (lane.completed.load(std::memory_order_acquire) <= number) {
    const uint32_t seen = lane.done_bell.load(std::memory_order_acquire);
    lane.process_sleeps.store(1, std::memory_order_seq_cst);
    if (lane.completed.load(std::memory_order_seq_cst) <= number) {
      session::FutexWait(lane.done_bell, seen, kLookAgainNs);
    }
    lane.process_sleeps.store(0, std::memory_order_relaxed);
  }
}

int64_t TimeHandOverNs(session::MoveLane& lane, const MoveOrder& order) {
  while (lane.agent_sleeps.load() == 0) std::this_thread::yield();
  const int64_t begin_ns = session::NowNs();
  const uint64_t number = lane.issued.load(std::memory_order_relaxed);
  session::MoveRequest& request = lane.entries[number % session::kLaneEntries];
  request.from_tier = order.from_tier;
  request.to_tier = order.to_tier;
  request.from_offset_bytes = order.from_offset_bytes;
  request.to_offset_bytes = order.to_offset_bytes;
  request.size_bytes = order.size_bytes;
  request.status.store(session::kMovePending, std::memory_order_relaxed);
  lane.issued.store(number + 1, std::memory_order_seq_cst);
  session::FutexRing(lane.issue_bell);
  Await(lane, number);
  const int64_t copy_ns = request.end_ns - request.begin_ns;
  return session::NowNs() - begin_ns - copy_ns;
}

}  // namespace

int64_t MeasureHandOverNs(std::vector<TierRoom> rooms, const MoveOrder& order) {
  const auto lanes = std::make_unique<session::MoveLane[]>(session::kLaneCount);
  const Migrator migrator(lanes.get(), std::move(rooms),
                          /*on_failure=*/nullptr);
  int64_t least_ns = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < kHandOvers; ++i) {
    least_ns =
        std::min(least_ns, TimeHandOverNs(lanes[session::kLaneOut], order));
  }
  return (least_ns + kRoundToNs - 1) / kRoundToNs * kRoundToNs;
}

}  // namespace stowage::agent
