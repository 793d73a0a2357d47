// Puts the hottest tensors into fast memory: what DeepTM does without its DRL
// optimiser.
//
//   HeatActor actor(environment, budget_bytes, HeatSettings());
#ifndef STOWAGE_POLICIES_DEEPTM_HEAT_ACTOR_H_
#define STOWAGE_POLICIES_DEEPTM_HEAT_ACTOR_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "policies/deeptm/episode.h"

namespace stowage::policies {

// With Algorithm 1, what is hot (H >= T_h) is to be fast, hottest first while
// there is room; with kept weights, the hottest that fit. Keeps a reference to
// the environment.
class HeatActor : public Actor {
 public:
  HeatActor(const Environment& environment, int64_t budget_bytes,
            const HeatSettings& settings);

  void Act(const KernelState& state, std::vector<Action>& actions) override;

 private:
  const Environment& environment_;
  const int64_t budget_bytes_;
  const bool hot_only_;
  // What may be fast: its heat, negative, and its index. Hottest first.
  std::vector<std::pair<float, int>> order_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_HEAT_ACTOR_H_
