#include "policies/deeptm/q_network.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace stowage {
namespace {

// Outputs that are computed together: they stay in registers.
constexpr int kHiddenBlock = 16;
constexpr int kLastBlock = 4;

int RoundUp(int units, int block) {
  return (units + block - 1) / block * block;
}

// One dense layer. Inlined into callers for several instruction sets, none of
// which reorders the sums.
template <int block_size, bool rectify>
[[gnu::always_inline]] inline void Forward(const DenseLayer& layer,
                                           const float* input, float* output) {
  for (int block = 0; block < layer.outputs; block += block_size) {
    float sums[block_size];
    for (int j = 0; j < block_size; ++j) sums[j] = layer.bias[block + j];
    const float* row = layer.matrix.data() + block;
    for (int i = 0; i < layer.inputs; ++i, row += layer.outputs) {
      for (int j = 0; j < block_size; ++j) sums[j] += input[i] * row[j];
    }
    for (int j = 0; j < block_size; ++j) {
      output[block + j] = rectify ? std::max(sums[j], 0.0f) : sums[j];
    }
  }
}

[[gnu::always_inline]] inline void EvaluateAll(
    const std::array<DenseLayer, 3>& layers, const StateVector* states,
    int count, ActionValues* values) {
  std::vector<float> first(layers[0].outputs), second(layers[1].outputs);
  float last[kLastBlock];
  for (int s = 0; s < count; ++s) {
    Forward<kHiddenBlock, true>(layers[0], states[s].data(), first.data());
    Forward<kHiddenBlock, true>(layers[1], first.data(), second.data());
    Forward<kLastBlock, false>(layers[2], second.data(), last);
    values[s] = {last[0], last[1]};
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void EvaluateAvx2(
    const std::array<DenseLayer, 3>& layers, const StateVector* states,
    int count, ActionValues* values) {
  EvaluateAll(layers, states, count, values);
}
#endif

}  // namespace

NetworkShape ShapeOf(const DqnSettings& settings) {
  return {settings.heat_alone ? 4 : kMaxStateSize, settings.hidden_units};
}

std::array<std::pair<int, int>, 3> LayerSizes(const NetworkShape& shape) {
  return {{{shape.state_size, shape.hidden_units},
           {shape.hidden_units, shape.hidden_units},
           {shape.hidden_units, kActionCount}}};
}

int64_t WeightCount(const NetworkShape& shape) {
  int64_t count = 0;
  for (const auto& [inputs, outputs] : LayerSizes(shape)) {
    count += static_cast<int64_t>(inputs + 1) * outputs;
  }
  return count;
}

std::vector<float> RandomWeights(const NetworkShape& shape, int64_t seed) {
  std::mt19937_64 engine(static_cast<uint64_t>(seed));
  std::vector<float> weights;
  for (const auto& [inputs, outputs] : LayerSizes(shape)) {
    const double bound = 1 / std::sqrt(static_cast<double>(inputs));
    for (int i = 0; i < (inputs + 1) * outputs; ++i) {
      const double unit = static_cast<double>(engine() >> 11) / (1LL << 53);
      weights.push_back(static_cast<float>(bound * (2 * unit - 1)));
    }
  }
  return weights;
}

QNetwork::QNetwork(const NetworkShape& shape, const std::vector<float>& weights)
    : shape_(shape) {
  SetWeights(weights);
}

void QNetwork::SetWeights(const std::vector<float>& weights) {
  auto next = weights.begin();
  const auto sizes = LayerSizes(shape_);
  for (size_t l = 0; l < layers_.size(); ++l) {
    const auto [inputs, outputs] = sizes[l];
    DenseLayer& layer = layers_[l];
    layer.inputs = inputs;
    layer.outputs =
        RoundUp(outputs, l + 1 < layers_.size() ? kHiddenBlock : kLastBlock);
    layer.matrix.assign(static_cast<size_t>(inputs) * layer.outputs, 0);
    layer.bias.assign(layer.outputs, 0);
    for (int i = 0; i < inputs; ++i, next += outputs) {
      std::copy(next, next + outputs,
                layer.matrix.begin() + static_cast<size_t>(i) * layer.outputs);
    }
    std::copy(next, next + outputs, layer.bias.begin());
    next += outputs;
  }
}

void QNetwork::Evaluate(const StateVector* states, int count,
                        ActionValues* values) const {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) return EvaluateAvx2(layers_, states, count, values);
#endif
  EvaluateAll(layers_, states, count, values);
}

}  // namespace stowage
