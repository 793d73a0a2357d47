// Makes a valid graph of any input, so that fuzzers get behind validation.
//
//   FuzzInput input(data, size);
//   const policies::Graph graph = TakeGraph(input);
#ifndef STOWAGE_TESTS_FUZZ_FUZZ_GRAPH_H_
#define STOWAGE_TESTS_FUZZ_FUZZ_GRAPH_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "policies/model/graph.h"
#include "policies/model/liveness.h"
#include "tests/fuzz/fuzz_input.h"

namespace stowage {

// Returns 0, or a number that has up to `most_bits` bits.
inline int64_t TakeMagnitude(FuzzInput& input, int most_bits) {
  const int bits = input.Take<uint8_t>() % (most_bits + 1);
  return input.Take<uint16_t>() & ((int64_t{1} << bits) - 1)
             ? (int64_t{1} << bits) - 1
             : (int64_t{1} << bits) / 2;
}

// How many bits numbers have at most: some graphs are of this world, and others
// of what validation lets through.
struct Magnitudes {
  int size_bits = 30;
  int duration_bits = 36;
};

inline policies::Tensor TakeTensor(FuzzInput& input, int32_t kernels,
                                   const Magnitudes& most) {
  using policies::TensorKind;
  policies::Tensor tensor;
  tensor.size_bytes =
      std::max<int64_t>(1, TakeMagnitude(input, most.size_bits));
  tensor.kind = static_cast<TensorKind>(1 + input.Take<uint8_t>() % 6);
  const auto flags = input.Take<uint8_t>();
  tensor.persistent = (flags & 1) != 0 && tensor.kind != TensorKind::kWorkspace;
  tensor.pinned = (flags & 14) == 14;
  if (tensor.persistent) return tensor;
  tensor.birth_kernel = static_cast<int32_t>(input.TakeBelow(kernels));
  tensor.death_kernel = tensor.kind == TensorKind::kWorkspace
                            ? tensor.birth_kernel
                            : static_cast<int32_t>(input.TakeBelow(kernels));
  return tensor;
}

// Returns a kernel that uses up to seven of the tensors that are alive then.
inline policies::Kernel TakeKernel(FuzzInput& input,
                                   const policies::Graph& graph, int32_t index,
                                   const Magnitudes& most) {
  policies::Kernel kernel;
  kernel.name = "op";
  kernel.flops = TakeMagnitude(input, 60);
  kernel.gap_ns = TakeMagnitude(input, most.duration_bits);
  kernel.profile.fast_inputs_fast_outputs = {
      .duration_ns = TakeMagnitude(input, most.duration_bits),
      .source = policies::DurationSource::kMeasured};
  const int operands = input.Take<uint8_t>() % 8;
  for (int i = 0; i < operands && graph.tensor_count() > 0; ++i) {
    const auto tensor =
        static_cast<int32_t>(input.TakeBelow(graph.tensor_count()));
    const auto flags = input.Take<uint8_t>();
    const bool is_used = std::any_of(
        kernel.operands.begin(), kernel.operands.end(),
        [tensor](const auto& operand) { return operand.tensor == tensor; });
    if (is_used || !policies::AliveAt(graph.tensors[tensor], index)) continue;
    kernel.operands.push_back({.tensor = tensor,
                               .read = (flags & 3) != 1,
                               .write = (flags & 3) != 0,
                               .access_count = 1 + flags / 4});
  }
  return kernel;
}

inline policies::Graph TakeGraph(FuzzInput& input) {
  policies::Graph graph;
  graph.name = "fuzzed";
  const auto first = input.Take<uint8_t>();
  const Magnitudes most = first < 192 ? Magnitudes{} : Magnitudes{49, 49};
  const int32_t kernels = 1 + first % 24;
  const int32_t tensors = input.Take<uint8_t>() % 32;
  for (int32_t t = 0; t < tensors; ++t) {
    graph.tensors.push_back(TakeTensor(input, kernels, most));
  }
  for (int32_t k = 0; k < kernels; ++k) {
    graph.kernels.push_back(TakeKernel(input, graph, k, most));
  }
  return graph;
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_FUZZ_FUZZ_GRAPH_H_
