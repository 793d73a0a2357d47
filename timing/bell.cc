#include "timing/bell.h"

#include <algorithm>
#include <chrono>

namespace stowage {
namespace {

// Longer waits would overflow what the standard library computes with.
constexpr absl::Duration kLongestWait = absl::Hours(24 * 365);

}  // namespace

void Bell::Ring() {
  const std::lock_guard<std::mutex> lock(mutex_);
  rings_.fetch_add(1, std::memory_order_release);
  // Under the mutex: the one who waits may destroy the bell once it has rung.
  rung_.notify_all();
}

bool Bell::AwaitFor(absl::Duration timeout, uint64_t heard) const {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto wait = absl::ToChronoNanoseconds(
      std::clamp(timeout, absl::ZeroDuration(), kLongestWait));
  return rung_.wait_for(lock, wait, [&] { return rings() > heard; });
}

}  // namespace stowage
