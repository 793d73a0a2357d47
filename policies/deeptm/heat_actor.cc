#include "policies/deeptm/heat_actor.h"

#include <algorithm>
#include <iterator>

#include "policies/heat/weight_adjustment.h"

namespace stowage::policies {

HeatActor::HeatActor(const Environment& environment, int64_t budget_bytes,
                     const HeatSettings& settings)
    : environment_(environment),
      budget_bytes_(budget_bytes),
      hot_only_(settings.adjust) {}

void HeatActor::Act(const KernelState& state, std::vector<Action>& actions) {
  const std::vector<Decision>& decisions = state.decisions;
  order_.clear();
  for (int i = 0; i < std::ssize(decisions); ++i) {
    actions[i].preference = decisions[i].heat;
    actions[i].fast = false;
    const bool hot = !hot_only_ || decisions[i].heat >= kHotThreshold;
    if (hot) order_.push_back({-decisions[i].heat, i});
  }
  std::sort(order_.begin(), order_.end());
  int64_t room_bytes = environment_.RoomBytes(state.kernel, budget_bytes_);
  for (const auto& [coldness, i] : order_) {
    const int64_t bytes = environment_.Bytes(decisions[i].tensor);
    actions[i].fast = bytes <= room_bytes;
    if (actions[i].fast) room_bytes -= bytes;
  }
}

}  // namespace stowage::policies
