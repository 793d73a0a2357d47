// Acts as a Q-network says: each living tensor goes where it expects more
// reward.
//
//   DqnActor actor(network);
//   RunEpisode(environment, options, start, actor);
#ifndef STOWAGE_POLICIES_DEEPTM_DQN_DQN_ACTOR_H_
#define STOWAGE_POLICIES_DEEPTM_DQN_DQN_ACTOR_H_

#include <vector>

#include "policies/deeptm/dqn/q_network.h"
#include "policies/deeptm/episode.h"

namespace stowage::policies {

// Returns the state vector of IV-C for one living tensor. p is 0 in fast
// memory, 1 in slow memory and -1 before it is allocated.
inline StateVector MakeStateVector(Position position, const Decision& decision,
                                   float fast_left, float slow_left) {
  StateVector state = {static_cast<float>(position), decision.heat, fast_left,
                       slow_left};
  for (int f = 0; f < Decision::kFeatureCount; ++f) {
    state[kPaperStateSize + f] = static_cast<float>(decision.features[f]) / 255;
  }
  return state;
}

// Keeps a reference to the network. Not thread-safe.
class DqnActor : public Actor {
 public:
  explicit DqnActor(const QNetwork& network) : network_(network) {}

  void Act(const KernelState& state, std::vector<Action>& actions) override;

 private:
  const QNetwork& network_;
  std::vector<StateVector> states_;
  std::vector<ActionValues> values_;
};

// Returns the action of higher value; fast if both are equal.
Action GreedyAction(const ActionValues& values);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_DQN_DQN_ACTOR_H_
