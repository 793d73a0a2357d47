#include "policies/deeptm/dqn/q_network.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

// Evaluates the network straight from the definition.
ActionValues Reference(const NetworkShape& shape,
                       const std::vector<float>& weights,
                       const StateVector& state) {
  std::vector<float> values(state.begin(), state.begin() + shape.state_size);
  size_t at = 0;
  const auto sizes = LayerSizes(shape);
  for (size_t l = 0; l < sizes.size(); ++l) {
    const auto [inputs, outputs] = sizes[l];
    std::vector<float> next(outputs);
    for (int j = 0; j < outputs; ++j) {
      next[j] = weights[at + inputs * outputs + j];
      for (int i = 0; i < inputs; ++i) {
        next[j] += values[i] * weights[at + i * outputs + j];
      }
      if (l < 2) next[j] = std::max(next[j], 0.0f);
    }
    at += (inputs + 1) * outputs;
    values = next;
  }
  return {values[0], values[1]};
}

TEST(QNetworkTest, EvaluatesThreeDenseLayersForAllStatesAtOnce) {
  for (const NetworkShape shape :
       {NetworkShape{4, 32}, NetworkShape{8, 32}, NetworkShape{8, 21}}) {
    const std::vector<float> weights = RandomWeights(shape, 5);
    const QNetwork network(shape, weights);
    std::vector<StateVector> states;
    for (int s = 0; s < 50; ++s) {
      StateVector state;
      for (int i = 0; i < kMaxStateSize; ++i) state[i] = (s * 7 + i) % 11 / 5.0;
      states.push_back(state);
    }
    std::vector<ActionValues> values(states.size());
    network.Evaluate(states.data(), 50, values.data());
    for (int s = 0; s < 50; ++s) {
      const ActionValues expected = Reference(shape, weights, states[s]);
      EXPECT_NEAR(values[s][0], expected[0], 1e-5);
      EXPECT_NEAR(values[s][1], expected[1], 1e-5);
    }
  }
}

TEST(QNetworkTest, RandomWeightsFollowTheSeed) {
  const NetworkShape shape{8, 32};
  EXPECT_EQ(RandomWeights(shape, 3), RandomWeights(shape, 3));
  EXPECT_NE(RandomWeights(shape, 3), RandomWeights(shape, 4));
  EXPECT_EQ(static_cast<int64_t>(RandomWeights(shape, 3).size()),
            WeightCount(shape));
}

}  // namespace
}  // namespace stowage::policies
