#include "tools/stowage/graphs/backward_flops.h"

#include <algorithm>
#include <set>
#include <vector>

namespace stowage::cli {
namespace {

struct Forward {
  std::set<policies::TensorIndex> reads;
  int64_t flops = 0;
};

std::set<policies::TensorIndex> ReadsOf(const policies::Kernel& kernel) {
  std::set<policies::TensorIndex> reads;
  for (const policies::Operand& operand : kernel.operands) {
    if (operand.read) reads.insert(operand.tensor);
  }
  return reads;
}

// Returns how many gradients the kernel writes, of the input and of the weight.
// Those below the managed size do not show.
int64_t GradientsOf(const policies::Kernel& kernel) {
  const auto writes = std::count_if(
      kernel.operands.begin(), kernel.operands.end(),
      [](const policies::Operand& operand) { return operand.write; });
  return std::clamp<int64_t>(writes, 1, 2);
}

int64_t BackwardFlops(const policies::Kernel& kernel,
                      const std::vector<Forward>& forwards) {
  const std::set<policies::TensorIndex> reads = ReadsOf(kernel);
  int64_t most_shared = 0, flops = 0;
  for (const Forward& forward : forwards) {
    const int64_t shared = std::count_if(
        forward.reads.begin(), forward.reads.end(),
        [&](policies::TensorIndex tensor) { return reads.count(tensor) > 0; });
    if (shared == 0 || shared < most_shared) continue;
    most_shared = shared;
    flops = forward.flops;
  }
  return flops * GradientsOf(kernel);
}

}  // namespace

void FillBackwardFlops(policies::Graph& graph) {
  std::vector<Forward> forwards;
  for (policies::Kernel& kernel : graph.kernels) {
    if (kernel.name == "aten::convolution" && kernel.flops > 0) {
      forwards.push_back({ReadsOf(kernel), kernel.flops});
    } else if (kernel.name == "aten::convolution_backward" &&
               kernel.flops == 0) {
      kernel.flops = BackwardFlops(kernel, forwards);
    }
  }
}

}  // namespace stowage::cli
