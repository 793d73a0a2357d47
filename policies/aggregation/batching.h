// Batches micro tensors: those that are allocated at the same kernel and are
// accessed again share pages. Source: DeepTM III-C1.
//
//   std::vector<TensorGroup> pages =
//       BatchMicroTensors(graph, system, plan, residencies, accesses, {});
#ifndef STOWAGE_POLICIES_AGGREGATION_BATCHING_H_
#define STOWAGE_POLICIES_AGGREGATION_BATCHING_H_

#include <cstdint>
#include <vector>

#include "policies/aggregation/tensor_group.h"
#include "policies/aggregation/tier_residency.h"
#include "policies/heat/access_index.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

struct BatchingSettings {
  // A tensor smaller than this, a page, is a micro tensor. III-C1.
  int64_t micro_bytes = 4096;
  // The fewest future accesses that make sharing a page worth it. III-C1.
  int64_t least_accesses = 2;
  // The share of the graph's peak memory that is reserved for batches. III-C1.
  double reserved_share = 0.1;
};

// Returns one group for each page. Tensors share a page if the plan allocates
// them at the same boundary and moves them together. They come in the order of
// their accesses, most first, and by decreasing size where these are equal.
// Left out are pages beyond the reserved space, those with the fewest accesses,
// and tensors that the plan takes to a tier that is used in whole pages.
std::vector<TensorGroup> BatchMicroTensors(
    const Graph& graph, const MemorySystem& system, const Plan& plan,
    const std::vector<TensorResidencies>& residencies,
    const AccessIndex& accesses, const BatchingSettings& settings);

// Returns where the tensor is allocated; 0 if it is there as the step begins.
KernelIndex AllocationKernel(const Tensor& tensor);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AGGREGATION_BATCHING_H_
