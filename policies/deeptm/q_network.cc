#include "policies/deeptm/q_network.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace stowage {
namespace {

// Outputs that are computed together: they stay in registers.
constexpr int kBlock = 16;

struct Shape {
  int inputs = 0;
  int outputs = 0;
};

std::array<Shape, 3> Shapes(int hidden_units) {
  return {Shape{kStateSize, hidden_units}, Shape{hidden_units, hidden_units},
          Shape{hidden_units, kActionCount}};
}

int RoundUp(int units) { return (units + kBlock - 1) / kBlock * kBlock; }

}  // namespace

int64_t WeightCount(int hidden_units) {
  int64_t count = 0;
  for (const Shape& shape : Shapes(hidden_units)) {
    count += static_cast<int64_t>(shape.inputs + 1) * shape.outputs;
  }
  return count;
}

std::vector<float> RandomWeights(int hidden_units, int64_t seed) {
  std::mt19937_64 engine(static_cast<uint64_t>(seed));
  std::vector<float> weights;
  for (const Shape& shape : Shapes(hidden_units)) {
    const double bound = 1 / std::sqrt(static_cast<double>(shape.inputs));
    for (int i = 0; i < (shape.inputs + 1) * shape.outputs; ++i) {
      const double unit = static_cast<double>(engine() >> 11) / (1LL << 53);
      weights.push_back(static_cast<float>(bound * (2 * unit - 1)));
    }
  }
  return weights;
}

QNetwork::QNetwork(int hidden_units, const std::vector<float>& weights)
    : hidden_units_(hidden_units) {
  SetWeights(weights);
}

void QNetwork::SetWeights(const std::vector<float>& weights) {
  auto next = weights.begin();
  const std::array<Shape, 3> shapes = Shapes(hidden_units_);
  for (size_t l = 0; l < layers_.size(); ++l) {
    const auto [inputs, outputs] = shapes[l];
    Layer& layer = layers_[l];
    layer.inputs = inputs;
    layer.outputs = RoundUp(outputs);
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

void QNetwork::Forward(const Layer& layer, bool rectify, const float* input,
                       float* output) {
  for (int block = 0; block < layer.outputs; block += kBlock) {
    float sums[kBlock];
    for (int j = 0; j < kBlock; ++j) sums[j] = layer.bias[block + j];
    const float* row = layer.matrix.data() + block;
    for (int i = 0; i < layer.inputs; ++i, row += layer.outputs) {
      for (int j = 0; j < kBlock; ++j) sums[j] += input[i] * row[j];
    }
    for (int j = 0; j < kBlock; ++j) {
      output[block + j] = rectify ? std::max(sums[j], 0.0f) : sums[j];
    }
  }
}

void QNetwork::Evaluate(const StateVector* states, int count,
                        ActionValues* values) const {
  std::vector<float> first(layers_[0].outputs), second(layers_[1].outputs);
  float last[kBlock];
  for (int s = 0; s < count; ++s) {
    Forward(layers_[0], true, states[s].data(), first.data());
    Forward(layers_[1], true, first.data(), second.data());
    Forward(layers_[2], false, second.data(), last);
    values[s] = {last[0], last[1]};
  }
}

}  // namespace stowage
