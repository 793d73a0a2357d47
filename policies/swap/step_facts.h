// Keeps what the baselines look up about a step again and again.
//
//   const StepFacts facts(graph, system, workload);
//   KernelIndex next = facts.NextUse(tensor, kernel);
#ifndef STOWAGE_POLICIES_SWAP_STEP_FACTS_H_
#define STOWAGE_POLICIES_SWAP_STEP_FACTS_H_

#include <cstdint>
#include <vector>

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/planning/workload.h"

namespace stowage::policies {

// No time runs past this (about 36 years), whatever a graph says, so that sums
// and differences of a few times do not overflow.
inline constexpr int64_t kLatestNs = int64_t{1} << 60;

// Returns when each of the K + 1 boundaries is reached if nothing is ever
// waited for.
std::vector<int64_t> IdealBoundaryNs(const Graph& graph,
                                     const MemorySystem& system);

// Immutable. It keeps references to what it was made of.
struct StepFacts {
  StepFacts(const Graph& graph, const MemorySystem& system,
            const Workload& workload);

  KernelIndex kernel_count() const { return graph.kernel_count(); }

  bool IsCancelled() const { return workload.cancellation.IsCancelled(); }

  // Returns the first kernel from `from` on that needs the tensor in the fast
  // tier and belongs to the same life as boundary `from`; -1 if there is none
  // before the step ends.
  KernelIndex NextUse(TensorIndex t, KernelIndex from) const;

  // Returns the last boundary of the step at which a tensor that is alive at
  // `from` is alive.
  KernelIndex LastBoundary(TensorIndex t, KernelIndex from) const;

  // Returns whether the tensor is alive before kernel `k` begins.
  bool IsOld(TensorIndex t, KernelIndex k) const;

  const Graph& graph;
  const MemorySystem& system;
  const Workload& workload;
  const std::vector<int64_t> boundary_ns;        // ideal
  std::vector<int64_t> bytes;                    // by tensor, rounded
  std::vector<std::vector<KernelIndex>> uses;    // by tensor: staged at
  std::vector<std::vector<TensorIndex>> deaths;  // by boundary, movable
  // By boundary: the bytes held if every tensor is fast for all its life.
  std::vector<int64_t> all_fast_bytes;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SWAP_STEP_FACTS_H_
