// Attaches itself where STOWAGE_AGENT names an agent, trains a small network
// with LibTorch, and writes its losses in hexadecimal.
//
//   attached_mlp out.txt
#include <stowage/attach.h>
#include <torch/torch.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

namespace {

constexpr int kSteps = 8;
constexpr int kBatch = 256;
constexpr int kWidth = 1024;

torch::nn::Sequential MakeNet() {
  return torch::nn::Sequential(torch::nn::Linear(kWidth, kWidth),
                               torch::nn::ReLU(),
                               torch::nn::Linear(kWidth, kWidth),
                               torch::nn::ReLU(), torch::nn::Linear(kWidth, 1));
}

float TrainStep(torch::nn::Sequential& net,
                torch::optim::Optimizer& optimizer) {
  optimizer.zero_grad();
  torch::Tensor loss =
      net->forward(torch::randn({kBatch, kWidth})).square().mean();
  loss.backward();
  optimizer.step();
  stowage::EndStep();
  return loss.item<float>();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: attached_mlp FILE\n";
    return 2;
  }
  if (std::getenv("STOWAGE_AGENT") != nullptr) {
    stowage::AttachOptions options = stowage::AttachOptionsFromEnvironment();
    options.fast = "40%";
    const std::string error = stowage::Attach(options);
    if (!error.empty()) {
      std::cerr << error << "\n";
      return 1;
    }
  }
  torch::manual_seed(0);
  torch::nn::Sequential net = MakeNet();
  torch::optim::SGD optimizer(net->parameters(),
                              torch::optim::SGDOptions(0.01).momentum(0.9));
  std::ofstream out(argv[1]);
  out << std::hexfloat;
  for (int step = 0; step < kSteps; ++step)
    out << TrainStep(net, optimizer) << "\n";
  return out.good() ? 0 : 1;
}
