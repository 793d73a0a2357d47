#include "policies/planning/lane_schedule.h"

#include <algorithm>
#include <iterator>

namespace stowage {

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
  busy_.emplace(start_ns, start_ns + duration_ns);
}

void LaneSchedule::Release(int64_t start_ns, int64_t duration_ns) {
  auto [at, end] = busy_.equal_range(start_ns);
  at = std::find_if(at, end, [&](const auto& busy) {
    return busy.second == start_ns + duration_ns;
  });
  if (at != end) busy_.erase(at);
}

}  // namespace stowage
