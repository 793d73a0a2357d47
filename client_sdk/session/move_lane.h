// Declares how a process asks the agent for moves: two lanes, each with one
// producer and one consumer.
//
//   const uint64_t n = lane.issued;
//   session::MoveRequest& request = lane.entries[n % session::kLaneEntries];
//   request.size_bytes = 1 << 20;
//   lane.issued.store(n + 1, std::memory_order_release);
//
// The rules of session.h hold.
#ifndef STOWAGE_CLIENT_SDK_SESSION_MOVE_LANE_H_
#define STOWAGE_CLIENT_SDK_SESSION_MOVE_LANE_H_

#include <atomic>
#include <cstdint>
#include <limits>

namespace stowage::session {

enum Lane : int { kLaneOut = 0, kLaneIn = 1, kLaneCount = 2 };
inline constexpr uint64_t kLaneEntries = 4096;

enum MoveStatus : int32_t {
  kMovePending = 0,
  kMoveDone = 1,
  kMoveFailed = 2,  // the source is still whole
};

inline constexpr int64_t kNoDeadline = std::numeric_limits<int64_t>::max();

// Copies `size_bytes` (a multiple of kPageBytes). The process owns source and
// destination room until the move is completed, and changes neither.
struct MoveRequest {
  int32_t from_tier;          // process
  int32_t to_tier;            // process
  int64_t from_offset_bytes;  // process
  int64_t to_offset_bytes;    // process
  int64_t size_bytes;         // process
  // Process: when the bytes are needed, as CLOCK_MONOTONIC says; 0: somebody
  // waits for them; kNoDeadline: nobody does.
  int64_t deadline_ns;
  std::atomic<int32_t> status;  // agent; process resets it before issuing
  int32_t error_number;         // agent: errno of a failed move
  int64_t begin_ns;             // agent, CLOCK_MONOTONIC
  int64_t end_ns;               // agent
};

// For how long each lane copied.
struct LaneTimes {
  int64_t out_ns;
  int64_t in_ns;
};

// Request n (from 0) is in entries[n % kLaneEntries]. Requests complete in
// order, and at most kLaneEntries are under way.
struct MoveLane {
  alignas(64) std::atomic<uint64_t> issued;  // process
  std::atomic<uint32_t> issue_bell;    // process; futex the agent waits on
  std::atomic<uint32_t> agent_sleeps;  // agent
  alignas(64) std::atomic<uint64_t> completed;  // agent
  std::atomic<uint32_t> done_bell;       // agent; futex the process waits on
  std::atomic<uint32_t> process_sleeps;  // process
  // Agent: for how long it has copied, and since when it copies now, as
  // CLOCK_MONOTONIC says; 0: it does not. See lane_time.h.
  std::atomic<int64_t> copied_ns;
  std::atomic<int64_t> copying_since_ns;
  MoveRequest entries[kLaneEntries];
};

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_MOVE_LANE_H_
