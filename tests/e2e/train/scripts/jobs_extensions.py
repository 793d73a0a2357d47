"""Jobs whose C++ extensions take the addresses of tensors, where no operator tells of it."""

import importlib.util
import types

import torch
from torch import nn

from extension import library
from hazard import (BATCH, CLASSES, hazard, hazard_if, loss_of, main, make_batch, make_layers,
                    make_layers_batch, make_net, train_step)

NAME = "stowage_test_extension"
STEPS = 12
SOURCE = r"""
#include <torch/custom_class.h>
#include <torch/extension.h>

#include <map>
#include <string>
#include <vector>

namespace {

void Scale(const float* from, float* to, int64_t count, float factor) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[i] * factor;
}

torch::Tensor Half(const torch::Tensor& values) {
  torch::Tensor halves = torch::empty_like(values);
  Scale(values.data_ptr<float>(), halves.data_ptr<float>(), values.numel(), 0.5f);
  return halves;
}

// Takes all addresses first, and uses them behind operators that need much room.
torch::Tensor HalfBehindOperators(const torch::Tensor& values) {
  torch::Tensor halves = torch::empty_like(values);
  const float* from = values.data_ptr<float>();
  float* to = halves.data_ptr<float>();
  for (int round = 0; round < 3; ++round) {
    const torch::Tensor more = torch::randn({512, 1024});
    if (more.mul(2).sum().isnan().item<bool>()) return values;
  }
  Scale(from, to, values.numel(), 0.5f);
  return halves;
}

void Descend(const std::map<std::string, torch::Tensor>& weights,
             const std::vector<torch::Tensor>& gradients, double rate) {
  size_t k = 0;
  for (const auto& [name, weight] : weights) {
    float* to = weight.data_ptr<float>();
    const float* gradient = gradients[k++].data_ptr<float>();
    for (int64_t i = 0; i < weight.numel(); ++i) to[i] -= rate * gradient[i];
  }
}

void DescendOne(torch::Tensor weight, torch::Tensor gradient, double rate) {
  float* to = weight.data_ptr<float>();
  const float* from = gradient.data_ptr<float>();
  for (int64_t i = 0; i < weight.numel(); ++i) to[i] -= rate * from[i];
}

class Momentum {
 public:
  explicit Momentum(double rate) : rate_(rate) {}
  void Update(torch::Tensor weight, torch::Tensor gradient, torch::Tensor momentum) const {
    float* to = weight.data_ptr<float>();
    float* speed = momentum.data_ptr<float>();
    const float* change = gradient.data_ptr<float>();
    for (int64_t i = 0; i < weight.numel(); ++i) {
      speed[i] = 0.9f * speed[i] + change[i];
      to[i] -= rate_ * speed[i];
    }
  }

 private:
  double rate_;
};

// Is given its tensors once, so that nobody sees when it writes them.
class Keeper {
 public:
  Keeper(std::vector<torch::Tensor> weights, std::vector<torch::Tensor> gradients)
      : weights_(std::move(weights)), gradients_(std::move(gradients)) {}
  void Descend(double rate) {
    for (size_t i = 0; i < weights_.size(); ++i) DescendOne(weights_[i], gradients_[i], rate);
  }

 private:
  std::vector<torch::Tensor> weights_, gradients_;
};

struct RegisteredMomentum : torch::CustomClassHolder {
  explicit RegisteredMomentum(double rate) : momentum(rate) {}
  void Update(torch::Tensor weight, torch::Tensor gradient, torch::Tensor speed) {
    momentum.Update(weight, gradient, speed);
  }
  Momentum momentum;
};

}  // namespace

// Schemas that say nothing of what is written.
TORCH_LIBRARY(stowage_test_operators, library) {
  library.class_<RegisteredMomentum>("Momentum")
      .def(torch::init<double>())
      .def("update", &RegisteredMomentum::Update);
  library.def("of_function", &DescendOne);
  library.def("of_schema(Tensor weight, Tensor gradient, float rate) -> ()", &DescendOne);
  library.def("of_backend(Tensor weight, Tensor gradient, float rate) -> ()");
}

TORCH_LIBRARY_IMPL(stowage_test_operators, CPU, library) {
  library.impl("of_backend", &DescendOne);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
  module.def("half", &Half);
  module.def("descend", &Descend);
  module.def_submodule("deep").def("half_behind_operators", &HalfBehindOperators);
  py::class_<Keeper>(module, "Keeper")
      .def(py::init<std::vector<torch::Tensor>, std::vector<torch::Tensor>>())
      .def("descend", &Keeper::Descend);
  py::class_<Momentum>(module, "Momentum")
      .def(py::init<double>())
      .def("update", &Momentum::Update);
}
"""


def load():
    path = library(NAME, SOURCE)
    spec = importlib.util.spec_from_file_location(NAME, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# As scripts do, before there is a tensor.
extension = load()
half = extension.half


class Operations:
    """Keeps a function, which is no method."""

    half_behind_operators = extension.deep.half_behind_operators


def halving(function):

    class Halving(torch.autograd.Function):

        @staticmethod
        def forward(unused_context, values):
            return function(values)

        @staticmethod
        def backward(unused_context, gradient):
            return function(gradient.contiguous())

    return Halving.apply


class Head(nn.Module):

    def __init__(self, function):
        super().__init__()
        self.body = make_net()
        self.halve = halving(function)

    def forward(self, values):
        for layer in self.body[:-1]:
            values = layer(values)
        return self.body[-1](self.halve(values))


@hazard
def own_activation(digest):
    net = Head(half)
    train(digest, net, torch.optim.Adam(net.parameters()))


@hazard
def addresses_behind_operators(digest):
    net = Head(Operations().half_behind_operators)
    train(digest, net, torch.optim.Adam(net.parameters()))


@hazard_if(hasattr(torch.library, "custom_op"))
def within_an_operator(digest):
    """An operator that the script registers calls the extension."""

    @torch.library.custom_op("stowage_test::halve", mutates_args=())
    def halve(values: torch.Tensor) -> torch.Tensor:
        return extension.deep.half_behind_operators(values)

    net = Head(halve)
    train(digest, net, torch.optim.Adam(net.parameters()))


def train(digest, net, optimizer):
    for _ in range(STEPS):
        train_step(net, optimizer, make_batch(), digest)
    digest.add_model(net)


@hazard
def own_update(digest):
    """One call changes all weights, which no operator ever writes."""
    net = make_net()
    for _ in range(STEPS):
        net.zero_grad()
        loss = loss_of(net, make_batch())
        loss.backward()
        weights = {f"{i:03}": p.data for i, p in enumerate(net.parameters())}
        extension.descend(weights, [p.grad for p in net.parameters()], 0.05)
        digest.add("losses", loss.item())
    digest.add_model(net)


def train_with(digest, descents):
    """Trains with operators that change the weights, and whose schemas do not tell."""
    net = make_layers()
    for _ in range(STEPS):
        net.zero_grad()
        loss = loss_of(net, make_layers_batch(BATCH))
        loss.backward()
        with torch.no_grad():
            for i, weight in enumerate(net.parameters()):
                # One operator has a layer's weight and its bias.
                descents[i // 2 % len(descents)](weight, weight.grad, 0.05)
        digest.add("losses", loss.item())
    digest.add_model(net)


@hazard
def own_operators(digest):
    operators = torch.ops.stowage_test_operators
    train_with(digest, [operators.of_function, operators.of_schema.default, operators.of_backend])


@hazard
def scripted_operators(digest):

    @torch.jit.script
    def descend(weight, gradient, rate: float):
        torch.ops.stowage_test_operators.of_function(weight, gradient, rate)

    train_with(digest, [descend])


@hazard
def kept_tensors(digest):
    net = make_layers()
    keeper = None
    for _ in range(STEPS):
        loss = loss_of(net, make_layers_batch(BATCH))
        loss.backward()
        weights = list(net.parameters())
        keeper = keeper or extension.Keeper(weights, [weight.grad for weight in weights])
        keeper.descend(0.05)
        net.zero_grad(set_to_none=False)
        digest.add("losses", loss.item())
    digest.add_model(net)


class OwnOptimizer(torch.optim.Optimizer):
    """A call for each weight, of a method of `momentum`."""

    def __init__(self, parameters, momentum):
        super().__init__(parameters, {})
        self._momentum = momentum

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for weight in group["params"]:
                state = self.state[weight]
                if not state:
                    state["momentum"] = torch.zeros_like(weight)
                self._momentum.update(weight, weight.grad, state["momentum"])


def make_momentum_net():
    return nn.Sequential(make_net(), nn.ReLU(), nn.Linear(CLASSES, 1024), nn.ReLU(),
                         nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, CLASSES))


@hazard
def own_optimizer(digest):
    net = make_momentum_net()
    train(digest, net, OwnOptimizer(net.parameters(), extension.Momentum(0.05)))


@hazard
def own_class(digest):
    # Made before there is a tensor.
    momentum = torch.classes.stowage_test_operators.Momentum(0.05)
    net = make_momentum_net()
    train(digest, net, OwnOptimizer(net.parameters(), momentum))


@hazard
def scripted_class(digest):
    net = make_momentum_net()

    @torch.jit.script
    def update(weight, gradient, speed):
        momentum = torch.classes.stowage_test_operators.Momentum(0.05)
        momentum.update(weight, gradient, speed)

    momentum = types.SimpleNamespace(update=update)
    train(digest, net, OwnOptimizer(net.parameters(), momentum))


if __name__ == "__main__":
    main()
