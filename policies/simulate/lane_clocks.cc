#include "policies/simulate/lane_clocks.h"

#include <algorithm>
#include <cmath>

#include "policies/simulate/later.h"

namespace stowage::policies {
namespace {

int64_t UpNs(double ns) {
  return static_cast<int64_t>(std::ceil(std::min(ns, kLongestNs)));
}

}  // namespace

LaneClocks::LaneClocks(const MemorySystem& system,
                       const std::vector<Lane>& lanes) {
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    const auto [from, to] = lanes[lane];
    const auto other = std::find(lanes.begin(), lanes.end(), Lane{to, from});
    const bool alone = other == lanes.end() || from == to;
    opposite_.push_back(alone ? lane : other - lanes.begin());
    shares_.push_back(alone ? 1 : system.BothWaysShare(from, to));
    is_slowed_ = is_slowed_ || shares_.back() < 1;
  }
}

int64_t LaneClocks::Issue(size_t lane, int64_t now_ns, int64_t duration_ns,
                          State state) const {
  state[lane] =
      LaterNs(std::max(state[lane], ClockNs(lane, now_ns, state)), duration_ns);
  return state[lane];
}

double LaneClocks::BothBusyNs(size_t lane, int64_t now_ns,
                              ConstState state) const {
  const size_t other = opposite_[lane];
  const auto busy_ns = [&](size_t of) {
    const int64_t left_ns = state[of] - ClockNs(of, now_ns, state);
    return static_cast<double>(std::max<int64_t>(0, left_ns)) / shares_[of];
  };
  return other == lane ? 0 : std::min(busy_ns(lane), busy_ns(other));
}

int64_t LaneClocks::SlowedEndNs(size_t lane, int64_t left_ns, int64_t now_ns,
                                ConstState state) const {
  const auto alone_ns = static_cast<double>(left_ns);
  const double both_ns =
      std::min(BothBusyNs(lane, now_ns, state), alone_ns / shares_[lane]);
  return LaterNs(now_ns, UpNs(alone_ns + both_ns * (1 - shares_[lane])));
}

void LaneClocks::AdvanceSlowed(int64_t now_ns, int64_t then_ns,
                               State state) const {
  const size_t lanes = lane_count();
  for (size_t lane = 0; lane < lanes; ++lane) {
    const size_t other = opposite_[lane];
    if (other <= lane) continue;
    const double both_ns = std::min(static_cast<double>(then_ns - now_ns),
                                    BothBusyNs(lane, now_ns, state));
    for (const size_t of : {lane, other}) {
      state[lanes + of] += UpNs(both_ns * (1 - shares_[of]));
    }
  }
  for (size_t lane = 0; lane < lanes; ++lane) {
    const bool is_idle = state[lane] <= ClockNs(lane, then_ns, state);
    if (is_idle) state[lanes + lane] = 0;
  }
}

void LaneClocks::FreeNs(int64_t now_ns, ConstState state,
                        absl::Span<int64_t> free_ns) const {
  for (size_t lane = 0; lane < lane_count(); ++lane) {
    free_ns[lane] = EndNs(lane, state[lane], now_ns, state);
  }
}

}  // namespace stowage::policies
