#include "policies/simulate/lane_clocks.h"

#include <algorithm>

#include "policies/simulate/later.h"

namespace stowage::policies {
namespace {

int64_t UpNs(double ns) {
  const auto down_ns = static_cast<int64_t>(std::min(ns, kLongestNs));
  return down_ns + (static_cast<double>(down_ns) < ns ? 1 : 0);
}

}  // namespace

LaneClocks::LaneClocks(const MemorySystem& system,
                       const std::vector<Lane>& lanes) {
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    const auto [from, to] = lanes[lane];
    const auto other = std::find(lanes.begin(), lanes.end(), Lane{to, from});
    const bool alone = other == lanes.end() || from == to;
    const double share = alone ? 1 : system.BothWaysShare(from, to);
    lanes_.push_back({.opposite = alone ? lane : other - lanes.begin(),
                      .lost = 1 - share,
                      .longer = 1 / share});
    is_slowed_ = is_slowed_ || share < 1;
  }
}

int64_t LaneClocks::Issue(size_t lane, int64_t now_ns, int64_t duration_ns,
                          State state) const {
  state[lane] =
      LaterNs(std::max(state[lane], ClockNs(lane, now_ns, state)), duration_ns);
  return state[lane];
}

int64_t LaneClocks::SlowedEndNs(size_t lane, int64_t left_ns, int64_t now_ns,
                                ConstState state) const {
  const size_t other = lanes_[lane].opposite;
  const int64_t other_ns = LeftNs(other, now_ns, state);
  if (other == lane || other_ns <= 0) return LaterNs(now_ns, left_ns);
  const auto alone_ns = static_cast<double>(left_ns);
  const double both_ns =
      std::min(alone_ns * lanes_[lane].longer,
               static_cast<double>(other_ns) * lanes_[other].longer);
  return LaterNs(now_ns, UpNs(alone_ns + both_ns * lanes_[lane].lost));
}

void LaneClocks::AdvanceSlowed(int64_t now_ns, int64_t then_ns,
                               State state) const {
  for (size_t lane = 0; lane < lane_count(); ++lane) {
    const size_t other = lanes_[lane].opposite;
    if (other > lane) Slow(lane, other, now_ns, then_ns, state);
  }
  for (size_t lane = 0; lane < lane_count(); ++lane) {
    const bool is_idle = LeftNs(lane, then_ns, state) <= 0;
    if (is_idle) state[lane_count() + lane] = 0;
  }
}

void LaneClocks::Slow(size_t lane, size_t other, int64_t now_ns,
                      int64_t then_ns, State state) const {
  const int64_t left_ns = LeftNs(lane, now_ns, state);
  const int64_t other_ns = LeftNs(other, now_ns, state);
  if (left_ns <= 0 || other_ns <= 0) return;
  const double both_ns =
      std::min({static_cast<double>(then_ns - now_ns),
                static_cast<double>(left_ns) * lanes_[lane].longer,
                static_cast<double>(other_ns) * lanes_[other].longer});
  for (const size_t of : {lane, other}) {
    state[lane_count() + of] += UpNs(both_ns * lanes_[of].lost);
  }
}

void LaneClocks::FreeNs(int64_t now_ns, ConstState state,
                        absl::Span<int64_t> free_ns) const {
  for (size_t lane = 0; lane < lane_count(); ++lane) {
    free_ns[lane] = EndNs(lane, state[lane], now_ns, state);
  }
}

}  // namespace stowage::policies
