// Tells for how long a move lane has copied, while it does.
//
//   BeginCopying(lane, NowNs());                     // the agent
//   const int64_t before_ns = CopiedNs(lane, NowNs());  // the process
//   Run(kernel);
//   const int64_t beside_ns = CopiedNs(lane, NowNs()) - before_ns;
//   EndCopying(lane, NowNs());
//
// One thread writes, any may read; nobody blocks.
#ifndef STOWAGE_CLIENT_SDK_SESSION_LANE_TIME_H_
#define STOWAGE_CLIENT_SDK_SESSION_LANE_TIME_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "client_sdk/session/session.h"

namespace stowage::session {

// `Lane` is a MoveLane, or has the same counts.
template <typename Lane>
void BeginCopying(Lane& lane, int64_t now_ns) {
  lane.copying_since_ns.store(now_ns, std::memory_order_seq_cst);
}

template <typename Lane>
void EndCopying(Lane& lane, int64_t now_ns) {
  const int64_t since_ns =
      lane.copying_since_ns.load(std::memory_order_relaxed);
  if (since_ns == 0) return;
  lane.copied_ns.fetch_add(std::max<int64_t>(0, now_ns - since_ns),
                           std::memory_order_seq_cst);
  lane.copying_since_ns.store(0, std::memory_order_seq_cst);
}

// Returns for how long the lane has copied until `now_ns`. A copy that begins
// or ends at this moment may count for nothing or twice: what depends on it is
// a measurement, bounded by its caller.
template <typename Lane>
int64_t CopiedNs(const Lane& lane, int64_t now_ns) {
  const int64_t since_ns =
      lane.copying_since_ns.load(std::memory_order_seq_cst);
  const int64_t under_way_ns =
      since_ns == 0 ? 0 : std::max<int64_t>(0, now_ns - since_ns);
  return lane.copied_ns.load(std::memory_order_seq_cst) + under_way_ns;
}

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_LANE_TIME_H_
