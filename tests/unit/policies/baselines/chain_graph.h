// Makes a training step of a plain chain of layers, for tests of what systems
// swap.
//
//   const Graph graph = ChainGraph({.layers = 16});
#ifndef STOWAGE_TESTS_UNIT_POLICIES_BASELINES_CHAIN_GRAPH_H_
#define STOWAGE_TESTS_UNIT_POLICIES_BASELINES_CHAIN_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "policies/model/graph.h"

namespace stowage::policies {

struct ChainOptions {
  int layers = 16;
  int64_t tensor_bytes = 1 << 20;
  int64_t kernel_ns = 1'000'000;
  std::string name = "conv";  // of every kernel
};

// Returns the step of a chain of n layers. Kernel i of the forward pass reads
// activation i-1 and writes activation i, which is tensor i. Kernel 2n-1-i of
// the backward pass reads activation i and gradient i+1 and writes gradient i,
// which is tensor n+i.
inline Graph ChainGraph(const ChainOptions& options = {}) {
  const int n = options.layers;
  Graph graph;
  graph.name = "chain";
  graph.tensors.resize(2 * n);
  for (int i = 0; i < n; ++i) {
    graph.tensors[i] = {.size_bytes = options.tensor_bytes,
                        .kind = TensorKind::kActivation,
                        .birth_kernel = i,
                        .death_kernel = 2 * n - 1 - i};
    graph.tensors[n + i] = {.size_bytes = options.tensor_bytes,
                            .kind = TensorKind::kGradient,
                            .birth_kernel = 2 * n - 1 - i,
                            .death_kernel = i == 0 ? 2 * n - 1 : 2 * n - i};
  }
  const auto add = [&](int layer, const std::vector<TensorIndex>& reads,
                       TensorIndex written) {
    Kernel kernel{.name = options.name, .layer = layer};
    for (TensorIndex t : reads) {
      kernel.operands.push_back({.tensor = t, .read = true});
    }
    kernel.operands.push_back({.tensor = written, .write = true});
    kernel.profile.fast_inputs_fast_outputs = {options.kernel_ns,
                                               DurationSource::kMeasured};
    graph.kernels.push_back(kernel);
  };
  for (int i = 0; i < n; ++i) {
    add(i, i == 0 ? std::vector<TensorIndex>{} : std::vector{i - 1}, i);
  }
  for (int i = n - 1; i >= 0; --i) {
    add(i, i == n - 1 ? std::vector{i} : std::vector{i, n + i + 1}, n + i);
  }
  return graph;
}

}  // namespace stowage::policies

#endif  // STOWAGE_TESTS_UNIT_POLICIES_BASELINES_CHAIN_GRAPH_H_
