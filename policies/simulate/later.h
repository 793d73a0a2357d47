// Adds up simulated time without overflow.
//
//   now_ns = LaterNs(now_ns, duration_ns);
#ifndef STOWAGE_POLICIES_SIMULATE_LATER_H_
#define STOWAGE_POLICIES_SIMULATE_LATER_H_

#include <algorithm>
#include <cstdint>

namespace stowage::policies {

// What a computed duration is cut to before it is added.
inline constexpr double kLongestNs = static_cast<double>(int64_t{1} << 61);

// Returns `now_ns` + `duration_ns`, but never more than about 146 years,
// whatever a plan says. Neither may be more than that, or negative.
inline int64_t LaterNs(int64_t now_ns, int64_t duration_ns) {
  return std::min(int64_t{1} << 62, now_ns + duration_ns);
}

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SIMULATE_LATER_H_
