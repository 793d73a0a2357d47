// Gradient steps on a Q-network, with LibTorch: the one part of training that
// needs it.
//
//   Learner learner(settings, RandomWeights(ShapeOf(settings), seed));
//   learner.SetLearningRate(1e-4);
//   double loss = learner.Update(buffer.Sample(32, engine));
//   network.SetWeights(learner.MeanWeights());
#ifndef STOWAGE_POLICIES_DEEPTM_DQN_LEARNER_H_
#define STOWAGE_POLICIES_DEEPTM_DQN_LEARNER_H_

#include <memory>
#include <vector>

#include "policies/deeptm/dqn/dqn_settings.h"
#include "policies/deeptm/dqn/replay_buffer.h"

namespace stowage::policies {

// Deterministic. Not thread-safe. Uses no random numbers of LibTorch's and does
// not change its settings.
class Learner {
 public:
  Learner(const DqnSettings& settings, const std::vector<float>& weights);
  ~Learner();

  // Instead of settings.learning_rate, from the next step on.
  void SetLearningRate(double learning_rate);

  // One step of Adam on the difference between Q and its target (Bellman
  // equation, with the target network, within settings.value_bound). Returns
  // the loss, Huber's; not a number when the training has diverged.
  double Update(const std::vector<Transition>& batch);

  // Of the target network: with each step it goes 1 / settings.target_interval
  // of the way to the weights that the step made. In layout kDqnWeightsLayout.
  std::vector<float> MeanWeights() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_DQN_LEARNER_H_
