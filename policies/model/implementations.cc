#include "policies/model/implementations.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "policies/model/kernel_cost.h"

namespace stowage::policies {
namespace {

// Chooses for each kernel the implementation of least `cost(kernel, workspace,
// implementation)`, the first among equals.
template <typename Cost>
std::vector<ImplementationChoice> LeastBy(const Graph& graph, Cost cost) {
  const std::vector<TensorIndex> workspaces = ChoosableWorkspaces(graph);
  std::vector<ImplementationChoice> choices;
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    int32_t best = 0;
    for (int32_t i = 1; i <= graph.kernels[k].alternatives.size(); ++i) {
      if (cost(k, workspaces[k], i) < cost(k, workspaces[k], best)) best = i;
    }
    if (best > 0) choices.push_back({k, best});
  }
  return choices;
}

KernelProfile LeastCorners(const KernelProfile& a, const KernelProfile& b) {
  const auto less = [](const ProfiledDuration& x, const ProfiledDuration& y) {
    return ProfiledDuration{std::min(x.duration_ns, y.duration_ns),
                            DurationSource::kDerived};
  };
  return {less(a.fast_inputs_fast_outputs, b.fast_inputs_fast_outputs),
          less(a.fast_inputs_slow_outputs, b.fast_inputs_slow_outputs),
          less(a.slow_inputs_fast_outputs, b.slow_inputs_fast_outputs),
          less(a.slow_inputs_slow_outputs, b.slow_inputs_slow_outputs)};
}

// Returns whether several slower tiers are addressable. Only then does a third
// tier raise the shares of slow bytes past 1, where lines through smaller
// corners may lie above others.
bool HasSeveralSlowTiers(const MemorySystem& system) {
  return std::count_if(system.tiers.begin() + 1, system.tiers.end(),
                       [](const Tier& tier) { return tier.addressable; }) > 1;
}

}  // namespace

bool HasAlternatives(const Graph& graph) {
  return std::any_of(
      graph.kernels.begin(), graph.kernels.end(),
      [](const Kernel& kernel) { return !kernel.alternatives.empty(); });
}

absl::Status CheckImplementations(
    const Graph& graph, const std::vector<ImplementationChoice>& choices) {
  KernelIndex previous = -1;
  for (const ImplementationChoice& choice : choices) {
    if (choice.kernel <= previous || choice.kernel >= graph.kernel_count()) {
      return absl::InvalidArgumentError(
          absl::StrCat("implementations list kernel ", choice.kernel, " after ",
                       previous, ", but kernels must ascend and be less than ",
                       graph.kernel_count(), "; make a plan for this graph"));
    }
    const size_t count = graph.kernels[choice.kernel].alternatives.size();
    if (choice.implementation < 1 || choice.implementation > count) {
      return absl::InvalidArgumentError(
          absl::StrCat("kernel ", choice.kernel, " is to run implementation ",
                       choice.implementation, ", but it has ", count,
                       " besides its first; make a plan for this graph"));
    }
    previous = choice.kernel;
  }
  return absl::OkStatus();
}

std::vector<TensorIndex> ChoosableWorkspaces(const Graph& graph) {
  std::vector<TensorIndex> workspaces(graph.kernels.size(), -1);
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (tensor.kind != TensorKind::kWorkspace) continue;
    if (graph.kernels[tensor.birth_kernel].alternatives.empty()) continue;
    workspaces[tensor.birth_kernel] = t;
  }
  return workspaces;
}

int64_t WorkspaceBytes(const Graph& graph, KernelIndex kernel,
                       TensorIndex workspace, int32_t implementation) {
  if (implementation == 0) return graph.tensors[workspace].size_bytes;
  const Kernel& with_choice = graph.kernels[kernel];
  return std::max<int64_t>(
      1, with_choice.alternatives[implementation - 1].workspace_bytes);
}

const KernelProfile& ProfileOf(const Kernel& kernel, int32_t implementation) {
  return implementation == 0 ? kernel.profile
                             : kernel.alternatives[implementation - 1].profile;
}

std::vector<ImplementationChoice> FastestImplementations(const Graph& graph) {
  return LeastBy(graph, [&](KernelIndex k, TensorIndex workspace, int32_t i) {
    return std::tuple(
        ProfileOf(graph.kernels[k], i).fast_inputs_fast_outputs.duration_ns,
        WorkspaceBytes(graph, k, workspace, i));
  });
}

std::vector<ImplementationChoice> SmallestImplementations(const Graph& graph) {
  return LeastBy(graph, [&](KernelIndex k, TensorIndex workspace, int32_t i) {
    return WorkspaceBytes(graph, k, workspace, i);
  });
}

ChosenGraph::ChosenGraph(const Graph& graph,
                         const std::vector<ImplementationChoice>& choices)
    : graph_(graph) {
  if (choices.empty()) return;
  copy_ = graph;
  const std::vector<TensorIndex> workspaces = ChoosableWorkspaces(graph);
  for (const ImplementationChoice& choice : choices) {
    const KernelIndex k = choice.kernel;
    copy_->tensors[workspaces[k]].size_bytes =
        WorkspaceBytes(graph, k, workspaces[k], choice.implementation);
    copy_->kernels[k].profile =
        ProfileOf(graph.kernels[k], choice.implementation);
  }
  for (Kernel& kernel : copy_->kernels) kernel.alternatives.clear();
}

Graph RelaxImplementations(Graph graph, const MemorySystem& system) {
  constexpr ProfiledDuration kNone{0, DurationSource::kDerived};
  Graph relaxed = ChosenGraph(graph, SmallestImplementations(graph)).get();
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    Kernel kernel = graph.kernels[k];
    if (kernel.alternatives.empty()) continue;
    KernelProfile least = CompleteProfile(graph, kernel, system);
    for (const KernelImplementation& other : graph.kernels[k].alternatives) {
      kernel.profile = other.profile;
      least = LeastCorners(least, CompleteProfile(graph, kernel, system));
    }
    if (HasSeveralSlowTiers(system)) least = {kNone, kNone, kNone, kNone};
    relaxed.kernels[k].profile = least;
    relaxed.kernels[k].alternatives.clear();
  }
  return relaxed;
}

}  // namespace stowage::policies
