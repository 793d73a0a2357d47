#include "tests/unit/policies/random_graph.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "policies/model/liveness.h"

namespace stowage::policies {
namespace {

// Draws without std::uniform_int_distribution, whose values differ between
// libraries.
class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}

  int64_t Roll(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % (high - low + 1));
  }
  bool Chance(int percent) { return Roll(1, 100) <= percent; }

 private:
  std::mt19937_64 engine_;
};

Tensor RandomTensor(KernelIndex kernels, Dice& dice) {
  Tensor tensor;
  tensor.size_bytes =
      dice.Chance(20) ? dice.Roll(1, 5000) : dice.Roll(1, 64) * 65536 + 1;
  tensor.kind = static_cast<TensorKind>(dice.Roll(0, 5));
  tensor.pinned = dice.Chance(5);
  tensor.persistent = dice.Chance(30);
  if (tensor.persistent) return tensor;
  tensor.birth_kernel = dice.Roll(0, kernels - 1);
  tensor.death_kernel = dice.Chance(15)
                            ? dice.Roll(0, kernels - 1)
                            : dice.Roll(tensor.birth_kernel, kernels - 1);
  if (dice.Chance(10)) {
    tensor.kind = TensorKind::kWorkspace;
    tensor.death_kernel = tensor.birth_kernel;
  }
  return tensor;
}

void SetDurations(Kernel& kernel, int64_t ns) {
  kernel.profile.fast_inputs_fast_outputs = {ns, DurationSource::kMeasured};
}

void Read(Kernel& kernel, TensorIndex tensor) {
  kernel.operands.push_back({tensor, true, false, 1});
}

void Write(Kernel& kernel, TensorIndex tensor) {
  kernel.operands.push_back({tensor, false, true, 1});
}

void Update(Kernel& kernel, TensorIndex tensor) {
  kernel.operands.push_back({tensor, true, true, 1});
}

// Builds a step kernel by kernel.
class StepBuilder {
 public:
  explicit StepBuilder(uint64_t seed) : dice_(seed) {
    graph_.name = "training-step";
  }

  TensorIndex Add(TensorKind kind, int64_t bytes, bool persistent) {
    Tensor tensor;
    tensor.kind = kind;
    tensor.size_bytes = bytes;
    tensor.persistent = persistent;
    graph_.tensors.push_back(tensor);
    return graph_.tensor_count() - 1;
  }

  Kernel& Launch(const char* name, int layer, int64_t ns) {
    Kernel kernel;
    kernel.name = name;
    kernel.layer = layer;
    SetDurations(kernel, ns);
    graph_.kernels.push_back(kernel);
    return graph_.kernels.back();
  }

  int64_t Bytes(int64_t low_kib, int64_t high_kib) {
    return dice_.Roll(low_kib, high_kib) * 1024;
  }
  int64_t Ns(int64_t low_us, int64_t high_us) {
    return dice_.Roll(low_us, high_us) * 1000;
  }

  // Finishes the graph: lifetimes go from first to last use, except where they
  // are set.
  Graph Finish() {
    const auto uses = UsesByTensor(graph_);
    for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      Tensor& tensor = graph_.tensors[t];
      if (tensor.persistent || tensor.birth_kernel >= 0) continue;
      tensor.birth_kernel = uses[t].front();
      tensor.death_kernel = uses[t].back();
    }
    return std::move(graph_);
  }

  Graph& graph() { return graph_; }

 private:
  Graph graph_;
  Dice dice_;
};

}  // namespace

Graph RandomGraph(uint64_t seed, const GraphSize& size) {
  Dice dice(seed);
  Graph graph;
  graph.name = absl::StrCat("random-", seed);
  graph.unmanaged_peak_bytes = dice.Chance(30) ? dice.Roll(1, 300000) : 0;
  const auto kernels =
      static_cast<KernelIndex>(dice.Roll(1, size.most_kernels));
  const int64_t tensors = dice.Roll(1, size.most_tensors);
  for (int64_t t = 0; t < tensors; ++t) {
    graph.tensors.push_back(RandomTensor(kernels, dice));
  }
  for (KernelIndex k = 0; k < kernels; ++k) {
    Kernel kernel;
    kernel.name = absl::StrCat("k", k);
    SetDurations(kernel, dice.Chance(20) ? 0 : dice.Roll(1, 2'000'000));
    if (dice.Chance(20)) kernel.gap_ns = dice.Roll(1, 100'000);
    const int64_t percent = dice.Roll(2, 25);
    for (TensorIndex t = 0; t < tensors; ++t) {
      if (!AliveAt(graph.tensors[t], k) || !dice.Chance(percent)) continue;
      const int64_t access = dice.Roll(1, 3);
      kernel.operands.push_back(
          {t, access != 2, access != 1, static_cast<int32_t>(dice.Roll(1, 3))});
    }
    graph.kernels.push_back(kernel);
  }
  return graph;
}

Graph WithAlternatives(Graph graph, uint64_t seed) {
  Dice dice(seed);
  std::vector<bool> has_workspace(graph.kernels.size(), false);
  for (const Tensor& tensor : graph.tensors) {
    if (tensor.kind != TensorKind::kWorkspace) continue;
    has_workspace[tensor.birth_kernel] = true;
  }
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    if (has_workspace[k] || dice.Chance(30)) continue;
    graph.tensors.push_back({.size_bytes = dice.Roll(1, 24) * 65536,
                             .kind = TensorKind::kWorkspace,
                             .birth_kernel = k,
                             .death_kernel = k});
    Kernel& kernel = graph.kernels[k];
    const int64_t fast_ns = kernel.profile.fast_inputs_fast_outputs.duration_ns;
    for (int64_t i = dice.Roll(1, 3); i > 0; --i) {
      KernelImplementation other{.workspace_bytes = dice.Roll(0, 24) * 65536};
      other.profile.fast_inputs_fast_outputs = {
          std::max<int64_t>(0, fast_ns + dice.Roll(-100, 300) * 1000),
          DurationSource::kMeasured};
      if (dice.Chance(50)) {
        other.profile.slow_inputs_slow_outputs = {fast_ns + 500'000,
                                                  DurationSource::kMeasured};
      }
      kernel.alternatives.push_back(other);
    }
  }
  return graph;
}

Graph TrainingStepGraph(int layers, uint64_t seed) {
  StepBuilder step(seed);
  std::vector<TensorIndex> weights, momenta, gradients, activations, normed;
  for (int i = 0; i < layers; ++i) {
    const int64_t bytes = step.Bytes(64, 4096);
    weights.push_back(step.Add(TensorKind::kWeight, bytes, true));
    momenta.push_back(step.Add(TensorKind::kOptimizerState, bytes, true));
    gradients.push_back(step.Add(TensorKind::kGradient, bytes, false));
  }
  activations.push_back(
      step.Add(TensorKind::kInput, step.Bytes(4096, 9000), false));
  for (int i = 0; i < layers; ++i) {
    const int64_t bytes = step.Bytes(2048, 13000);
    normed.push_back(step.Add(TensorKind::kActivation, bytes, false));
    activations.push_back(step.Add(TensorKind::kActivation, bytes, false));
    Kernel& conv = step.Launch("aten::convolution", i, step.Ns(2000, 14000));
    Read(conv, activations[i]);
    Read(conv, weights[i]);
    Write(conv, normed[i]);
    Kernel& norm = step.Launch("aten::batch_norm", i, step.Ns(500, 3000));
    Read(norm, normed[i]);
    Write(norm, activations[i + 1]);
    Update(step.Launch("aten::relu_", i, step.Ns(200, 1500)),
           activations[i + 1]);
  }
  // Gradients are cleared as the backward pass begins to write them; those of
  // the last step live until then.
  TensorIndex flowing = step.Add(TensorKind::kActivation, 1 << 20, false);
  Write(step.Launch("aten::nll_loss", layers, step.Ns(100, 200)), flowing);
  for (int i = layers - 1; i >= 0; --i) {
    const int64_t bytes = step.graph().tensors[activations[i]].size_bytes;
    const TensorIndex previous = flowing;
    flowing = step.Add(TensorKind::kActivation, bytes, false);
    Kernel& relu =
        step.Launch("aten::threshold_backward", i, step.Ns(200, 1500));
    Update(relu, previous);
    Read(relu, activations[i + 1]);
    Kernel& conv =
        step.Launch("aten::convolution_backward", i, step.Ns(4000, 28000));
    Read(conv, previous);
    Read(conv, normed[i]);
    Read(conv, activations[i]);
    Read(conv, weights[i]);
    Write(conv, flowing);
    Write(conv, gradients[i]);
    step.graph().tensors[gradients[i]].birth_kernel =
        step.graph().kernel_count() - 1;
    step.graph().tensors[gradients[i]].death_kernel = 0;
  }
  for (int i = 0; i < layers; ++i) {
    for (const char* name : {"aten::mul_", "aten::add_"}) {
      Kernel& update = step.Launch(name, i, step.Ns(50, 400));
      Update(update, momenta[i]);
      Read(update, gradients[i]);
    }
    Kernel& apply = step.Launch("aten::add_", i, step.Ns(50, 400));
    Update(apply, weights[i]);
    Read(apply, momenta[i]);
  }
  return step.Finish();
}

}  // namespace stowage::policies
