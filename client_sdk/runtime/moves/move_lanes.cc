#include "client_sdk/runtime/moves/move_lanes.h"

#include <errno.h>

#include "client_sdk/runtime/blocks/tier_copy.h"
#include "client_sdk/runtime/process/long_wait.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/futex.h"
#include "client_sdk/session/lane_time.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kLookAgainNs = 20'000'000;

}  // namespace

uint64_t MoveLanes::Issue(session::Lane which, Place from, Place to,
                          int64_t bytes, int64_t deadline_ns) {
  session::MoveLane& shared = lane(which);
  const uint64_t ticket = shared.issued.load(std::memory_order_relaxed);
  if (ticket >= session::kLaneEntries) {
    Wait(which, ticket - session::kLaneEntries);
  }
  session::MoveRequest& request =
      shared.entries[ticket % session::kLaneEntries];
  request.from_tier = from.tier;
  request.to_tier = to.tier;
  request.from_offset_bytes = from.offset_bytes;
  request.to_offset_bytes = to.offset_bytes;
  request.size_bytes = bytes;
  request.deadline_ns = deadline_ns;
  request.error_number = 0;
  request.status.store(session::kMovePending, std::memory_order_relaxed);
  shared.issued.store(ticket + 1, std::memory_order_seq_cst);
  if (shared.agent_sleeps.load(std::memory_order_seq_cst) != 0) {
    session::FutexRing(shared.issue_bell);
  }
  return ticket;
}

bool MoveLanes::Done(session::Lane which, uint64_t ticket) const {
  return lane(which).completed.load(std::memory_order_acquire) > ticket;
}

session::LaneTimes MoveLanes::CopiedNs(int64_t now_ns) const {
  return {.out_ns = session::CopiedNs(lane(session::kLaneOut), now_ns),
          .in_ns = session::CopiedNs(lane(session::kLaneIn), now_ns)};
}

int MoveLanes::Wait(session::Lane which, uint64_t ticket) {
  session::MoveLane& shared = lane(which);
  LongWait wait(which == session::kLaneOut
                    ? "the agent to move a tensor to slow memory"
                    : "the agent to move a tensor to fast memory");
  while (!Done(which, ticket)) {
    const uint32_t seen = shared.done_bell.load(std::memory_order_acquire);
    shared.process_sleeps.store(1, std::memory_order_seq_cst);
    if (!Done(which, ticket)) {
      session::FutexWait(shared.done_bell, seen, kLookAgainNs);
    }
    shared.process_sleeps.store(0, std::memory_order_relaxed);
    wait.Look(session::NowNs());
    if (!Done(which, ticket) && !client_->AgentAlive()) {
      CompleteWithoutAgent(which);
    }
  }
  const session::MoveRequest& request =
      shared.entries[ticket % session::kLaneEntries];
  return request.status.load(std::memory_order_relaxed) == session::kMoveDone
             ? 0
             : (request.error_number != 0 ? request.error_number : EIO);
}

void MoveLanes::Settle() {
  CompleteWithoutAgent(session::kLaneOut);
  CompleteWithoutAgent(session::kLaneIn);
}

// Completes the moves that the agent has left. Its hang-up is seen only after
// all its threads and their transfers have ended, so nobody else writes to
// these places any more.
void MoveLanes::CompleteWithoutAgent(session::Lane which) {
  session::MoveLane& shared = lane(which);
  shared.copying_since_ns.store(0, std::memory_order_relaxed);
  uint64_t next = shared.completed.load(std::memory_order_relaxed);
  for (; next < shared.issued.load(std::memory_order_relaxed); ++next) {
    session::MoveRequest& request =
        shared.entries[next % session::kLaneEntries];
    request.error_number = CopyBetweenTiers(
        client_->tiers(), {request.from_tier, request.from_offset_bytes},
        {request.to_tier, request.to_offset_bytes}, request.size_bytes);
    request.status.store(
        request.error_number == 0 ? session::kMoveDone : session::kMoveFailed,
        std::memory_order_relaxed);
    shared.completed.store(next + 1, std::memory_order_release);
  }
}

}  // namespace stowage::runtime
