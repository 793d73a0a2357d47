// Numbers the implementations of a kernel, where a profile offers several:
// number 0 is the kernel's own profile and workspace, number i > 0 its
// alternatives[i - 1].
//
//   std::vector<ImplementationChoice> choices = FastestImplementations(graph);
//   const ChosenGraph chosen(graph, choices);
//   Liveness liveness = ComputeLiveness(chosen.get());
//
// A policy that chooses nothing runs number 0 everywhere and may ignore all of
// this. Pure functions of a valid graph.
#ifndef STOWAGE_POLICIES_MODEL_IMPLEMENTATIONS_H_
#define STOWAGE_POLICIES_MODEL_IMPLEMENTATIONS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

// Says which implementation a kernel runs. Number 0 is never listed.
struct ImplementationChoice {
  KernelIndex kernel = 0;
  int32_t implementation = 1;
  bool operator==(const ImplementationChoice&) const = default;
};

// Returns whether any kernel has a choice.
bool HasAlternatives(const Graph& graph);

// Returns INVALID_ARGUMENT if `choices` name a kernel or an implementation that
// the graph does not have, or do not ascend.
absl::Status CheckImplementations(
    const Graph& graph, const std::vector<ImplementationChoice>& choices);

// Returns by kernel the workspace whose size its implementation decides, or -1
// where the kernel has no choice.
std::vector<TensorIndex> ChoosableWorkspaces(const Graph& graph);

// Returns the size of `workspace` while `kernel` runs `implementation`, at
// least 1.
int64_t WorkspaceBytes(const Graph& graph, KernelIndex kernel,
                       TensorIndex workspace, int32_t implementation);

const KernelProfile& ProfileOf(const Kernel& kernel, int32_t implementation);

// Chooses the fastest implementations with everything in the fast tier; among
// equally fast ones the one with the smallest workspace.
std::vector<ImplementationChoice> FastestImplementations(const Graph& graph);

// Chooses the smallest workspaces; among equally small ones the first.
std::vector<ImplementationChoice> SmallestImplementations(const Graph& graph);

// Holds a graph as it runs with `choices`, which must be valid: tensors and
// kernels keep their indices, and no kernel has a choice any more. It copies
// the graph only if there are choices; otherwise it refers to `graph`.
class ChosenGraph {
 public:
  ChosenGraph(const Graph& graph,
              const std::vector<ImplementationChoice>& choices);

  const Graph& get() const { return copy_.has_value() ? *copy_ : graph_; }

 private:
  const Graph& graph_;
  std::optional<Graph> copy_;
};

// Returns a graph that is never slower nor larger than `graph` with any
// choices; bounds use it. Kernels with a choice get the smallest workspace and
// at each corner the least duration of all implementations; 0 at all corners if
// several slower tiers are addressable.
Graph RelaxImplementations(Graph graph, const MemorySystem& system);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_IMPLEMENTATIONS_H_
