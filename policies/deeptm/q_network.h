// The Q-function of DeepTM's DQN (IV-C): from a state to the reward that is
// expected of each action. Inference alone; learner.h trains it.
//
//   QNetwork network(32, RandomWeights(32, seed));
//   network.Evaluate(states, count, values);   // one forward for all of them
//
// Results are the same on every processor: no sum is reordered.
#ifndef STOWAGE_POLICIES_DEEPTM_Q_NETWORK_H_
#define STOWAGE_POLICIES_DEEPTM_Q_NETWORK_H_

#include <array>
#include <cstdint>
#include <vector>

namespace stowage {

inline constexpr int kStateSize = 4;    // p, H, D_left, P_left
inline constexpr int kActionCount = 2;  // fast, slow

using StateVector = std::array<float, kStateSize>;
using ActionValues = std::array<float, kActionCount>;

// Of the weights in layout kDqnWeightsLayout (dqn_policy.h).
int64_t WeightCount(int hidden_units);

// Uniform within 1/sqrt(inputs of the layer), as dense layers usually begin.
std::vector<float> RandomWeights(int hidden_units, int64_t seed);

// Not thread-safe: evaluations share buffers only with themselves, but
// SetWeights must not run beside them.
class QNetwork {
 public:
  // `weights` has WeightCount(hidden_units) values.
  QNetwork(int hidden_units, const std::vector<float>& weights);

  void SetWeights(const std::vector<float>& weights);

  // `states` and `values` have `count` entries.
  void Evaluate(const StateVector* states, int count,
                ActionValues* values) const;

 private:
  // A dense layer whose outputs are padded to a multiple of kBlock.
  struct Layer {
    int inputs = 0;
    int outputs = 0;  // padded
    std::vector<float> matrix;
    std::vector<float> bias;
  };

  static void Forward(const Layer& layer, bool rectify, const float* input,
                      float* output);

  const int hidden_units_;
  std::array<Layer, 3> layers_;
};

}  // namespace stowage

#endif  // STOWAGE_POLICIES_DEEPTM_Q_NETWORK_H_
