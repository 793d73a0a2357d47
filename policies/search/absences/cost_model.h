// Says what kernels and copies take under a memory system, looked up many
// times.
//
//   CostModel costs(graph, system, workload);
//   int64_t step_ns = costs.fast_boundary_ns().back();
//
// Keeps references to its arguments. Safe to read from several threads.
#ifndef STOWAGE_POLICIES_SEARCH_ABSENCES_COST_MODEL_H_
#define STOWAGE_POLICIES_SEARCH_ABSENCES_COST_MODEL_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/planning/drops.h"
#include "policies/planning/workload.h"

namespace stowage::policies {

class CostModel {
 public:
  CostModel(const Graph& graph, const MemorySystem& system,
            const Workload& workload);

  const Graph& graph() const { return graph_; }
  const MemorySystem& system() const { return system_; }
  const Workload& workload() const { return workload_; }

  // Returns when each of the K + 1 boundaries is reached if all operands are
  // fast.
  const std::vector<int64_t>& fast_boundary_ns() const {
    return fast_boundary_ns_;
  }

  // Returns the bytes held at each boundary if all tensors are fast all their
  // life, rounded to the granularity of placement.
  const std::vector<int64_t>& all_fast_bytes() const { return all_fast_bytes_; }

  // Returns the time from boundary `k` to the end of the kernel, without
  // stalls. `tier_of` is as in KernelDurationNs; streamed operands are charged
  // by their tier.
  int64_t KernelNs(KernelIndex k,
                   absl::FunctionRef<TierIndex(TensorIndex)> tier_of) const;

  // Returns the first slower tier that kernels can use in place, or kFastTier.
  TierIndex in_place_tier() const { return in_place_tier_; }

  // Returns how much longer kernel `k` takes if `tensor` alone is used in
  // place.
  int64_t InPlacePenaltyNs(KernelIndex k, TensorIndex tensor) const;

  const DropRule& drops() const { return drops_; }

  int64_t OutNs(TensorIndex tensor, TierIndex tier) const;
  int64_t InNs(TensorIndex tensor, TierIndex tier) const;

 private:
  void CountFastBytes();

  const Graph& graph_;
  const MemorySystem& system_;
  const Workload& workload_;
  const DropRule drops_;
  TierIndex in_place_tier_ = kFastTier;
  std::vector<KernelProfile> profiles_;
  std::vector<const Stream*> streams_;  // by kernel, may be null
  std::vector<int64_t> fast_boundary_ns_;
  std::vector<int64_t> all_fast_bytes_;
};

// Returns by boundary the bytes held less those allowed.
std::vector<int64_t> ExcessBytes(const CostModel& costs,
                                 const std::vector<int64_t>& allowed_bytes);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ABSENCES_COST_MODEL_H_
