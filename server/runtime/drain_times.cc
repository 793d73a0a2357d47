#include "server/runtime/drain_times.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace stowage {
namespace {

constexpr absl::Duration kLeastMargin = absl::Seconds(1);
constexpr absl::Duration kMostMargin = absl::Seconds(5);
// Longer than it takes until a balancer has heard that the service is not ready.
constexpr absl::Duration kMostDelay = absl::Seconds(10);

}  // namespace

absl::StatusOr<DrainTimes> DivideGrace(const DrainRequest& request) {
  const absl::Duration grace = request.grace;
  if (grace == absl::ZeroDuration()) {
    const DrainTimes usual;
    return DrainTimes{.delay = request.delay.value_or(usual.delay),
                      .timeout = request.timeout.value_or(usual.timeout)};
  }
  if (grace < kLeastGrace) {
    return absl::InvalidArgumentError(
        absl::StrCat("is ", absl::FormatDuration(grace),
                     "; name 2s to 1h, or 0 if there is no kill"));
  }
  const absl::Duration margin =
      std::clamp(grace / 10, kLeastMargin, kMostMargin);
  const absl::Duration rest = grace - margin;
  const absl::Duration usual_delay = std::min(grace / 6, kMostDelay);
  const absl::Duration left_delay =
      rest - request.timeout.value_or(absl::ZeroDuration());
  const absl::Duration delay = request.delay.value_or(
      std::max(std::min(usual_delay, left_delay), absl::ZeroDuration()));
  const absl::Duration timeout =
      request.timeout.value_or(std::max(rest - delay, absl::ZeroDuration()));
  if (delay + timeout <= rest) {
    return DrainTimes{.delay = delay, .timeout = timeout};
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "is ", absl::FormatDuration(grace), ", but --drain-delay of ",
      absl::FormatDuration(delay), ", --drain-timeout of ",
      absl::FormatDuration(timeout), " and ", absl::FormatDuration(margin),
      " to end take longer; raise it, or leave one of the others out"));
}

}  // namespace stowage
