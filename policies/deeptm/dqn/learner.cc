#include "policies/deeptm/dqn/learner.h"

#include <torch/nn/functional/loss.h>
#include <torch/optim/adam.h>
#include <torch/types.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace stowage::policies {
namespace {

using Parameters = std::vector<torch::Tensor>;  // matrix and bias, by layer

Parameters MakeParameters(const NetworkShape& shape,
                          const std::vector<float>& weights) {
  Parameters parameters;
  const float* next = weights.data();
  const auto add = [&](std::vector<int64_t> sizes) {
    torch::Tensor parameter = torch::empty(sizes, torch::kFloat32);
    std::memcpy(parameter.data_ptr<float>(), next, parameter.nbytes());
    next += parameter.numel();
    parameters.push_back(parameter);
  };
  for (const auto& [inputs, outputs] : LayerSizes(shape)) {
    add({inputs, outputs});
    add({outputs});
  }
  return parameters;
}

// Runs three dense layers; the paper's Flatten does nothing to a state.
torch::Tensor Forward(const Parameters& p, const torch::Tensor& states) {
  const torch::Tensor first = torch::addmm(p[1], states, p[0]).relu();
  const torch::Tensor second = torch::addmm(p[3], first, p[2]).relu();
  return torch::addmm(p[5], second, p[4]);
}

// Cuts values at the bound. Rewards are learnt from a maximum over values that
// are themselves learnt, so errors upwards feed each other; the bound stops
// them.
torch::Tensor Bounded(const torch::Tensor& values, double bound) {
  return bound > 0 ? values.clamp(-bound, bound) : values;
}

// Holds a batch, column by column.
struct Columns {
  Columns(const std::vector<Transition>& batch, int state_size)
      : states(torch::empty({Size(batch), state_size})),
        next(torch::empty({Size(batch), state_size})),
        rewards(torch::empty({Size(batch)})),
        goes_on(torch::empty({Size(batch)})),
        actions(torch::empty({Size(batch), 1}, torch::kInt64)) {
    for (size_t i = 0; i < batch.size(); ++i) {
      const Transition& transition = batch[i];
      const size_t at = i * state_size;
      std::copy_n(transition.state.begin(), state_size,
                  states.data_ptr<float>() + at);
      std::copy_n(transition.next.begin(), state_size,
                  next.data_ptr<float>() + at);
      rewards.data_ptr<float>()[i] = transition.reward;
      goes_on.data_ptr<float>()[i] = transition.last ? 0.0f : 1.0f;
      actions.data_ptr<int64_t>()[i] = transition.fast ? 0 : 1;
    }
  }

  static int64_t Size(const std::vector<Transition>& batch) {
    return static_cast<int64_t>(batch.size());
  }

  torch::Tensor states, next, rewards, goes_on, actions;
};

}  // namespace

struct Learner::State {
  State(const DqnSettings& settings, const std::vector<float>& weights)
      : settings(settings),
        online(MakeParameters(ShapeOf(settings), weights)),
        target(MakeParameters(ShapeOf(settings), weights)),
        optimizer(Trainable(online),
                  torch::optim::AdamOptions(settings.learning_rate)) {}

  static Parameters Trainable(const Parameters& parameters) {
    for (const torch::Tensor& parameter : parameters) {
      parameter.requires_grad_(true);
    }
    return parameters;
  }

  void FollowWithTarget() {
    const torch::NoGradGuard no_gradients;
    const double share = 1.0 / settings.target_interval;
    for (size_t i = 0; i < online.size(); ++i) {
      target[i].lerp_(online[i], share);
    }
  }

  const DqnSettings settings;
  Parameters online;
  Parameters target;
  torch::optim::Adam optimizer;
};

Learner::Learner(const DqnSettings& settings, const std::vector<float>& weights)
    : state_(std::make_unique<State>(settings, weights)) {}
Learner::~Learner() = default;

void Learner::SetLearningRate(double learning_rate) {
  for (torch::optim::OptimizerParamGroup& group :
       state_->optimizer.param_groups()) {
    group.options().set_lr(learning_rate);
  }
}

double Learner::Update(const std::vector<Transition>& batch) {
  const Columns columns(batch, ShapeOf(state_->settings).state_size);
  torch::Tensor expected;
  {
    const torch::NoGradGuard no_gradients;
    const torch::Tensor best =
        std::get<0>(Forward(state_->target, columns.next).max(1));
    const DqnSettings& settings = state_->settings;
    expected =
        Bounded(columns.rewards + settings.discount * columns.goes_on * best,
                settings.value_bound);
  }
  const torch::Tensor values = Forward(state_->online, columns.states)
                                   .gather(1, columns.actions)
                                   .squeeze(1);
  const torch::Tensor loss = torch::smooth_l1_loss(values, expected);
  state_->optimizer.zero_grad();
  loss.backward();
  state_->optimizer.step();
  state_->FollowWithTarget();
  return loss.item<double>();
}

std::vector<float> Learner::MeanWeights() const {
  std::vector<float> weights;
  for (const torch::Tensor& parameter : state_->target) {
    const float* values = parameter.data_ptr<float>();
    weights.insert(weights.end(), values, values + parameter.numel());
  }
  return weights;
}

}  // namespace stowage::policies
