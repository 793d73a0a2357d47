// Puts the hottest tensors into fast memory, as DeepTM does without its DRL
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

// With Algorithm 1, hot tensors (H >= T_h) are to be fast, hottest first while
// there is room. With kept weights, the hottest that fit are. It keeps a
// reference to the environment.
class HeatActor : public Actor {
 public:
  HeatActor(const Environment& environment, int64_t budget_bytes,
            const HeatSettings& settings);

  void Act(const KernelState& state, std::vector<Action>& actions) override;

 private:
  const Environment& environment_;
  const int64_t budget_bytes_;
  const bool hot_only_;
  // The tensors that may be fast, hottest first: negative heat and index.
  std::vector<std::pair<float, int>> order_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_HEAT_ACTOR_H_
