// Declares how the agent says what a job's limit on fast memory is: in its
// welcome, and again while the job runs.
//
//   LimitArea& area = segment->limits;
//   area.order = {.limit_bytes = 400 << 20};  // the agent orders
//   area.ordered.store(1, std::memory_order_release);
//   area.taken.store(1, std::memory_order_release);  // the job has obeyed
//
// A job looks for an order, and answers, when its step ends.
// The rules of session.h hold: each field has one writer, and counters are
// stored with release after what they count.
#ifndef STOWAGE_CLIENT_SDK_SESSION_LIMIT_ORDER_H_
#define STOWAGE_CLIENT_SDK_SESSION_LIMIT_ORDER_H_

#include <atomic>
#include <cstdint>

namespace stowage::session {

// A limit, by at most one of the first three fields; none of them: unlimited.
struct LimitOrder {
  int64_t limit_bytes;    // above 0: absolute
  double limit_fraction;  // above 0: a share of the job's tensor peak so far
  int64_t is_awaited;     // 1: unlimited until the agent has found a limit
  // What the host has for the job: no limit is above it. 0: no bound.
  int64_t most_bytes;

  bool operator==(const LimitOrder&) const = default;
};

// What LimitArea::refused_below_bytes says besides the least limit.
inline constexpr int64_t kLimitObeyed = 0;
// What would leave fast memory found no room in the slow tier.
inline constexpr int64_t kNoRoomToObey = -1;

// Order n (from 1) stands in `order` while `ordered` is n. The agent writes the
// next one when `taken` is n.
struct LimitArea {
  std::atomic<uint64_t> ordered;  // agent
  std::atomic<uint64_t> taken;    // process
  LimitOrder order;               // agent
  // Process, about order `taken`: kLimitObeyed, or why the job keeps the limit
  // that it had: the least limit that works, or kNoRoomToObey.
  std::atomic<int64_t> refused_below_bytes;
};

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_LIMIT_ORDER_H_
