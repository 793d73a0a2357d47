// Evaluates the Q-function of DeepTM's DQN (IV-C): from a state to the reward
// that is expected of each action. It infers only; learner.h trains it.
//
//   QNetwork network(shape, RandomWeights(shape, seed));
//   network.Evaluate(states, count, values);   // one forward for all of them
//
// No sum is reordered, so instruction sets do not change results.
#ifndef STOWAGE_POLICIES_DEEPTM_DQN_Q_NETWORK_H_
#define STOWAGE_POLICIES_DEEPTM_DQN_Q_NETWORK_H_

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "policies/deeptm/decision.h"
#include "policies/deeptm/dqn/dqn_settings.h"

namespace stowage::policies {

// p, H, D_left, P_left, and unless settings say heat_alone Decision::features.
inline constexpr int kPaperStateSize = 4;
inline constexpr int kMaxStateSize = kPaperStateSize + Decision::kFeatureCount;
inline constexpr int kActionCount = 2;  // fast, slow

// Entries beyond the network's state size mean nothing.
using StateVector = std::array<float, kMaxStateSize>;
using ActionValues = std::array<float, kActionCount>;

struct NetworkShape {
  int state_size = kMaxStateSize;
  int hidden_units = 0;
};
NetworkShape ShapeOf(const DqnSettings& settings);

// Returns inputs and outputs of the three layers.
std::array<std::pair<int, int>, 3> LayerSizes(const NetworkShape& shape);

// Returns the number of weights in layout kDqnWeightsLayout (dqn_policy.h).
int64_t WeightCount(const NetworkShape& shape);

// Returns weights that are uniform within 1/sqrt(inputs of the layer), as dense
// layers usually begin.
std::vector<float> RandomWeights(const NetworkShape& shape, int64_t seed);

// Holds a layer, padded by units that are always 0.
struct DenseLayer {
  int inputs = 0;
  int outputs = 0;
  std::vector<float> matrix;
  std::vector<float> bias;
};

// Safe to use from several threads while SetWeights does not run.
class QNetwork {
 public:
  // Makes a network; `weights` has WeightCount(shape) values.
  QNetwork(const NetworkShape& shape, const std::vector<float>& weights);

  void SetWeights(const std::vector<float>& weights);

  // Evaluates `count` states; `states` and `values` have that many entries.
  void Evaluate(const StateVector* states, int count,
                ActionValues* values) const;

 private:
  const NetworkShape shape_;
  std::array<DenseLayer, 3> layers_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_DQN_Q_NETWORK_H_
