// Divides the time between SIGTERM and the kill among the phases of draining.
//
//   absl::StatusOr<DrainTimes> times =
//       DivideGrace({.grace = absl::Seconds(30)});
//   // delay 5 s, timeout 22 s, and 3 s are left
#ifndef STOWAGE_SERVER_RUNTIME_DRAIN_TIMES_H_
#define STOWAGE_SERVER_RUNTIME_DRAIN_TIMES_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace stowage {

// Plain data.
struct DrainTimes {
  absl::Duration delay;                        // not ready, but serving
  absl::Duration timeout = absl::Seconds(10);  // for calls under way
};

struct DrainRequest {
  absl::Duration grace;  // until the kill; 0: not known
  // Those that somebody has set; the others follow from `grace`.
  std::optional<absl::Duration> delay;
  std::optional<absl::Duration> timeout;
};

inline constexpr absl::Duration kLeastGrace = absl::Seconds(2);

// Returns both times. A tenth of the grace, 1 s to 5 s, is left for what comes
// behind them. INVALID_ARGUMENT: the times are beyond the grace, or that is
// below kLeastGrace and not 0. Pure.
absl::StatusOr<DrainTimes> DivideGrace(const DrainRequest& request);

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_DRAIN_TIMES_H_
