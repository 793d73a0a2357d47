#include "policies/simulate/lane_schedule.h"

#include <algorithm>
#include <iterator>

namespace stowage::policies {

int64_t LaneSchedule::EarliestStart(int64_t after_ns,
                                    int64_t duration_ns) const {
  int64_t start_ns = after_ns;
  auto busy = busy_.lower_bound(after_ns);
  if (busy != busy_.begin()) {
    start_ns = std::max(start_ns, std::prev(busy)->second);
  }
  for (; busy != busy_.end(); ++busy) {
    if (busy->first - start_ns >= duration_ns) break;
    start_ns = std::max(start_ns, busy->second);
  }
  return start_ns;
}

int64_t LaneSchedule::LatestStart(int64_t before_ns,
                                  int64_t duration_ns) const {
  int64_t end_ns = before_ns;
  auto busy = busy_.lower_bound(before_ns);
  while (busy != busy_.begin()) {
    --busy;
    if (end_ns - busy->second >= duration_ns) break;
    end_ns = std::min(end_ns, busy->first);
  }
  return end_ns - duration_ns;
}

void LaneSchedule::Reserve(int64_t start_ns, int64_t duration_ns) {
  int64_t end_ns = start_ns + duration_ns;
  auto next = busy_.lower_bound(start_ns);
  if (next != busy_.end() && next->first == end_ns) {
    end_ns = next->second;
    next = busy_.erase(next);
  }
  if (next != busy_.begin() && std::prev(next)->second == start_ns) {
    std::prev(next)->second = end_ns;
    return;
  }
  busy_.emplace_hint(next, start_ns, end_ns);
}

void LaneSchedule::Release(int64_t start_ns, int64_t duration_ns) {
  const int64_t end_ns = start_ns + duration_ns;
  auto at = busy_.upper_bound(start_ns);
  if (at == busy_.begin()) return;
  --at;
  const int64_t busy_until_ns = at->second;
  if (busy_until_ns < end_ns) return;
  if (at->first < start_ns) {
    at->second = start_ns;
  } else {
    busy_.erase(at);
  }
  if (end_ns < busy_until_ns) busy_.emplace(end_ns, busy_until_ns);
}

}  // namespace stowage::policies
