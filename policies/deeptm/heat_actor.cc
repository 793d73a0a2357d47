#include "policies/deeptm/heat_actor.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "policies/heat/weight_adjustment.h"

namespace stowage {

HeatActor::HeatActor(const Environment& environment, int64_t budget_bytes,
                     const HeatSettings& settings)
    : environment_(environment),
      budget_bytes_(budget_bytes),
      hot_only_(settings.adjust) {}

void HeatActor::Act(const KernelState& state, std::vector<Action>& actions) {
  const std::vector<Decision>& decisions = state.decisions;
  order_.resize(decisions.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](int a, int b) {
    return std::tuple(-decisions[a].heat, a) <
           std::tuple(-decisions[b].heat, b);
  });
  int64_t room_bytes = environment_.RoomBytes(state.kernel, budget_bytes_);
  for (int i : order_) {
    const int64_t bytes = environment_.Bytes(decisions[i].tensor);
    actions[i].preference = decisions[i].heat;
    actions[i].fast = bytes <= room_bytes &&
                      (!hot_only_ || decisions[i].heat >= kHotThreshold);
    if (actions[i].fast) room_bytes -= bytes;
  }
}

}  // namespace stowage
