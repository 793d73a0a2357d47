// Makes gradient steps on a Q-network with LibTorch, the one part of training
// that needs it.
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

// Deterministic. Not thread-safe. It uses no random numbers of LibTorch's and
// does not change its settings.
class Learner {
 public:
  Learner(const DqnSettings& settings, const std::vector<float>& weights);
  ~Learner();

  // Replaces settings.learning_rate from the next step on.
  void SetLearningRate(double learning_rate);

  // Makes one step of Adam on the difference between Q and its target (Bellman
  // equation, with the target network, within settings.value_bound). Returns
  // Huber's loss; not a number if the training has diverged.
  double Update(const std::vector<Transition>& batch);

  // Returns the weights of the target network, in layout kDqnWeightsLayout. At
  // each step it goes 1 / settings.target_interval of the way to the weights
  // that the step made.
  std::vector<float> MeanWeights() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_DQN_LEARNER_H_
