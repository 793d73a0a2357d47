#include "policies/deeptm/dqn/q_network.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

namespace stowage::policies {
namespace {

// Eight values that are computed together. Processors without such registers
// compute them one after the other, with the same results.
using Lanes [[gnu::vector_size(32)]] = float;
constexpr int kLanes = 8;
// The number of outputs of a hidden layer that are summed up at once.
constexpr int kBlock = 4 * kLanes;

int RoundUp(int units) { return (units + kBlock - 1) / kBlock * kBlock; }

// Loads by reference, since how eight values are returned depends on the
// processor.
[[gnu::always_inline]] inline void Load(const float* values, Lanes& lanes) {
  std::memcpy(&lanes, values, sizeof(lanes));
}

// Computes a hidden layer. It and the functions below are inlined into
// functions for several instruction sets.
[[gnu::always_inline]] inline void Hidden(const DenseLayer& layer, int inputs,
                                          const float* input, float* output) {
  for (int block = 0; block < layer.outputs; block += kBlock) {
    Lanes sums[4];
    for (int j = 0; j < 4; ++j) {
      Load(layer.bias.data() + block + j * kLanes, sums[j]);
    }
    const float* row = layer.matrix.data() + block;
    for (int i = 0; i < inputs; ++i, row += layer.outputs) {
      for (int j = 0; j < 4; ++j) {
        Lanes weights;
        Load(row + j * kLanes, weights);
        sums[j] += input[i] * weights;
      }
    }
    const Lanes zero = {};
    for (int j = 0; j < 4; ++j) {
      const Lanes rectified = sums[j] > zero ? sums[j] : zero;
      std::memcpy(output + block + j * kLanes, &rectified, sizeof(rectified));
    }
  }
}

[[gnu::always_inline]] inline float Output(const DenseLayer& layer, int action,
                                           const float* input) {
  const float* weights =
      layer.matrix.data() + static_cast<size_t>(action) * layer.inputs;
  Lanes sums = {};
  for (int i = 0; i < layer.inputs; i += kLanes) {
    Lanes inputs, factors;
    Load(input + i, inputs);
    Load(weights + i, factors);
    sums += inputs * factors;
  }
  float value = layer.bias[action];
  for (int j = 0; j < kLanes; ++j) value += sums[j];
  return value;
}

[[gnu::always_inline]] inline void EvaluateAll(
    const std::array<DenseLayer, 3>& layers, const StateVector* states,
    int count, ActionValues* values) {
  std::vector<float> first(layers[0].outputs), second(layers[1].outputs);
  for (int s = 0; s < count; ++s) {
    Hidden(layers[0], layers[0].inputs, states[s].data(), first.data());
    Hidden(layers[1], layers[1].inputs, first.data(), second.data());
    values[s] = {Output(layers[2], 0, second.data()),
                 Output(layers[2], 1, second.data())};
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
  return {settings.heat_alone ? kPaperStateSize : kMaxStateSize,
          settings.hidden_units};
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
    const bool last = l + 1 == layers_.size();
    DenseLayer& layer = layers_[l];
    // The last layer's matrix is transposed: one row per output.
    layer.inputs = last ? RoundUp(inputs) : inputs;
    layer.outputs = last ? outputs : RoundUp(outputs);
    layer.matrix.assign(static_cast<size_t>(layer.inputs) * layer.outputs, 0);
    layer.bias.assign(layer.outputs, 0);
    for (int i = 0; i < inputs; ++i) {
      for (int j = 0; j < outputs; ++j, ++next) {
        layer.matrix[last ? j * layer.inputs + i : i * layer.outputs + j] =
            *next;
      }
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

}  // namespace stowage::policies
