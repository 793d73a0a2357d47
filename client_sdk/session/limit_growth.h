// Says when a limit that has changed is worth another plan.
//
//   if (LimitHasGrown(/*planned_bytes=*/100 << 20, bytes)) Tell("plan again");
//
// A limit that is a share of the tensor peak grows whenever a step shows a
// higher peak. Plans made for less stay right, but leave memory unused.
#ifndef STOWAGE_CLIENT_SDK_SESSION_LIMIT_GROWTH_H_
#define STOWAGE_CLIENT_SDK_SESSION_LIMIT_GROWTH_H_

#include <cstdint>

namespace stowage::session {

// Returns whether the limit is by more than 2 % above what was planned with.
inline bool LimitHasGrown(int64_t planned_bytes, int64_t limit_bytes) {
  return limit_bytes - planned_bytes > planned_bytes / 50;
}

// Returns whether another plan is due: the limit is below what was planned
// with, or has grown.
inline bool LimitHasChanged(int64_t planned_bytes, int64_t limit_bytes) {
  return limit_bytes < planned_bytes ||
         LimitHasGrown(planned_bytes, limit_bytes);
}

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_LIMIT_GROWTH_H_
