// Declares what a training process and the node agent share: plain structs in a
// sealed memfd (the session segment), and the messages that set it up.
//
//   process                                   agent
//   connects, sends Hello                ->   checks it, makes segment, arenas
//   receives Welcome and descriptors     <-   of the segment, then of each tier
//   (sends these along if it comes back: then the welcome has none)
//   writes profile, steps, move requests ->   copies, bounds-checks, then uses
//   reads plans, completed moves         <-   writes plans, executes moves
//   off its plan: states its situation   ->   asks the placement service
//   follows hints where it safely can    <-   writes hints for kernels ahead
//   (socket stays open: its hang-up says that the other side is gone)
//
// Rules. Each field has one writer, which is named beside it. Counters only
// grow: the writer stores a counter with release after what it counts, and the
// reader loads it with acquire. The agent trusts nothing that the process
// wrote: it copies a record, checks the copy and uses the copy. There are no
// pointers, no padding that matters, and lock-free atomics alone.
#ifndef STOWAGE_CLIENT_SDK_SESSION_SESSION_H_
#define STOWAGE_CLIENT_SDK_SESSION_SESSION_H_

#include <atomic>
#include <cstdint>

#include "client_sdk/session/hint_area.h"
#include "client_sdk/session/limit_order.h"
#include "client_sdk/session/move_lane.h"
#include "client_sdk/session/plan_area.h"
#include "client_sdk/session/profile_area.h"
#include "client_sdk/session/report.h"
#include "client_sdk/session/setup_messages.h"

namespace stowage::session {

struct Segment {
  uint64_t magic;    // agent
  uint32_t version;  // agent
  uint32_t reserved;
  std::atomic<uint64_t> profiles_written;  // process
  std::atomic<uint64_t> profiles_taken;    // agent; equal: the area is free
  std::atomic<uint64_t>
      plans_written;                  // agent; plan n (from 1) in plans[n % 2]
  std::atomic<uint64_t> plans_taken;  // process; the agent writes n only
                                      // when n - 1 has been taken
  LimitArea limits;
  // Agent: the processor time that it has spent for the job.
  std::atomic<int64_t> agent_processor_ns;
  // Agent: profiles for which no plan will come (the event log says why).
  std::atomic<uint64_t> profiles_refused;
  std::atomic<uint32_t> plan_bell;       // agent; futex the process may wait on
  std::atomic<uint32_t> situation_bell;  // process; futex the agent waits on
  std::atomic<uint64_t> situations_stated;  // process; one is under way at most
  // Agent; equal: `situation` and `hints` are the process's, else the agent's.
  std::atomic<uint64_t> situations_answered;
  MoveLane lanes[kLaneCount];
  Report report;
  ProfileArea profile;
  PlanArea plans[2];
  SituationArea situation;  // process
  HintArea hints;           // agent
};

static_assert(std::atomic<uint64_t>::is_always_lock_free);
static_assert(std::atomic<uint32_t>::is_always_lock_free);

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_SESSION_H_
