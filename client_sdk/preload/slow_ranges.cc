#include "client_sdk/preload/slow_ranges.h"

#include <stdint.h>

#include <atomic>

namespace stowage::preload {
namespace {

constexpr int kMostRanges = 4;

struct Range {
  uintptr_t begin;
  uintptr_t end;
};

Range g_ranges[kMostRanges];
// Grows after the range that it counts has been written.
std::atomic<int> g_count{0};

}  // namespace

bool TouchesSlowRange(const void* address, size_t bytes) {
  const int count = g_count.load(std::memory_order_acquire);
  const auto begin = reinterpret_cast<uintptr_t>(address);
  for (int i = 0; i < count; ++i) {
    const Range& range = g_ranges[i];
    if (begin >= range.end || bytes == 0) continue;
    if (begin >= range.begin || bytes > range.begin - begin) return true;
  }
  return false;
}

}  // namespace stowage::preload

__attribute__((visibility("default"))) void stowage_add_slow_range(
    const void* address, size_t bytes) {
  using namespace stowage::preload;
  const int count = g_count.load();
  if (count == kMostRanges) return;
  const auto begin = reinterpret_cast<uintptr_t>(address);
  g_ranges[count] = {begin, begin + bytes};
  g_count.store(count + 1, std::memory_order_release);
}
