// Gradient steps on a Q-network, with LibTorch: the one part of training that
// needs it.
//
//   Learner learner(settings, RandomWeights(ShapeOf(settings), seed));
//   double loss = learner.Update(buffer.Sample(32, engine));
//   network.SetWeights(learner.Weights());
#ifndef STOWAGE_POLICIES_DEEPTM_LEARNER_H_
#define STOWAGE_POLICIES_DEEPTM_LEARNER_H_

#include <memory>
#include <vector>

#include "policies/deeptm/dqn_settings.h"
#include "policies/deeptm/replay_buffer.h"

namespace stowage {

// Deterministic. Not thread-safe. Uses no random numbers of LibTorch's and does
// not change its settings.
class Learner {
 public:
  Learner(const DqnSettings& settings, const std::vector<float>& weights);
  ~Learner();

  // One step of Adam on the difference between Q and its target (Bellman
  // equation, with a target network that follows every
  // settings.target_interval steps). Returns the loss, Huber's; not a number
  // when the training has diverged.
  double Update(const std::vector<Transition>& batch);

  // In layout kDqnWeightsLayout.
  std::vector<float> Weights() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stowage

#endif  // STOWAGE_POLICIES_DEEPTM_LEARNER_H_
