// Makes steps for tests that tell layers: kernels of a millisecond, tensors and
// uses by hand.
//
//   LayeredStep step({0, 0, 1, 2});                  // layer of each kernel
//   TensorIndex w = step.AddPersistent(kMiB);
//   step.Read(2, w);
//   Graph graph = step.graph();
#ifndef STOWAGE_TESTS_UNIT_POLICIES_LAYERED_STEP_H_
#define STOWAGE_TESTS_UNIT_POLICIES_LAYERED_STEP_H_

#include <cstdint>
#include <vector>

#include "policies/model/graph.h"

namespace stowage::policies {

class LayeredStep {
 public:
  explicit LayeredStep(const std::vector<int>& layers,
                       int64_t kernel_ns = 1'000'000) {
    graph_.name = "layered";
    for (int layer : layers) {
      Kernel kernel{.name = "kernel", .layer = layer};
      kernel.profile.fast_inputs_fast_outputs = {kernel_ns,
                                                 DurationSource::kMeasured};
      graph_.kernels.push_back(kernel);
    }
  }

  TensorIndex AddPersistent(int64_t bytes) {
    graph_.tensors.push_back(
        {.size_bytes = bytes, .kind = TensorKind::kWeight, .persistent = true});
    return graph_.tensor_count() - 1;
  }

  TensorIndex Add(int64_t bytes, KernelIndex birth, KernelIndex death) {
    graph_.tensors.push_back({.size_bytes = bytes,
                              .kind = TensorKind::kActivation,
                              .birth_kernel = birth,
                              .death_kernel = death});
    return graph_.tensor_count() - 1;
  }

  void Read(KernelIndex kernel, TensorIndex tensor, int32_t accesses = 1) {
    graph_.kernels[kernel].operands.push_back(
        {.tensor = tensor, .read = true, .access_count = accesses});
  }

  void Write(KernelIndex kernel, TensorIndex tensor) {
    graph_.kernels[kernel].operands.push_back(
        {.tensor = tensor, .write = true});
  }

  const Graph& graph() const { return graph_; }

 private:
  Graph graph_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_TESTS_UNIT_POLICIES_LAYERED_STEP_H_
