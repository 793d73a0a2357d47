// Trains a small network with LibTorch and writes a hash-free summary of its
// bits: the losses and the sum of the weights, in hexadecimal.
//
//   train_mlp out.txt
//
// It knows nothing of what runs it.
#include <torch/torch.h>

#include <fstream>
#include <iostream>

namespace {

constexpr int kSteps = 6;
constexpr int kBatch = 256;
constexpr int kWidth = 1024;

torch::nn::Sequential MakeNet() {
  return torch::nn::Sequential(torch::nn::Linear(kWidth, kWidth),
                               torch::nn::ReLU(),
                               torch::nn::Linear(kWidth, kWidth),
                               torch::nn::ReLU(), torch::nn::Linear(kWidth, 1));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: train_mlp FILE\n";
    return 2;
  }
  torch::manual_seed(0);
  torch::nn::Sequential net = MakeNet();
  torch::optim::SGD optimizer(net->parameters(),
                              torch::optim::SGDOptions(0.01).momentum(0.9));
  std::ofstream out(argv[1]);
  out << std::hexfloat;
  for (int step = 0; step < kSteps; ++step) {
    torch::Tensor inputs = torch::randn({kBatch, kWidth});
    optimizer.zero_grad();
    torch::Tensor loss = net->forward(inputs).square().mean();
    loss.backward();
    optimizer.step();
    out << loss.item<float>() << "\n";
  }
  for (const torch::Tensor& weight : net->parameters()) {
    out << weight.to(torch::kDouble).sum().item<double>() << "\n";
  }
  return out.good() ? 0 : 1;
}
