// Says which tensors are alive when, and how many bytes that makes.
//
//   Liveness liveness = ComputeLiveness(graph);
//   int64_t limit_bytes = 0.4 * liveness.peak_bytes;
//
// Pure functions of a valid graph. Sizes are as in the graph, not rounded to
// the granularity of placement.
#ifndef STOWAGE_POLICIES_MODEL_LIVENESS_H_
#define STOWAGE_POLICIES_MODEL_LIVENESS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "policies/model/graph.h"
#include "policies/model/groups.h"

namespace stowage::policies {

struct Liveness {
  // The highest number of bytes alive at once, unmanaged storages included.
  int64_t peak_bytes = 0;
  KernelIndex peak_kernel = 0;
  // The bytes alive while kernel k runs, unmanaged storages included.
  std::vector<int64_t> live_bytes;
};

Liveness ComputeLiveness(const Graph& graph);

// Returns whether `tensor` is alive while `kernel` runs.
bool AliveAt(const Tensor& tensor, KernelIndex kernel);

// Returns for each tensor the kernels that list it as an operand, ascending.
Groups UsesByTensor(const Graph& graph);
// Returns those of them that write it.
Groups WritesByTensor(const Graph& graph);

// Returns one past the last of `kernels`, ascending, before `end`; 0 if there is
// none.
KernelIndex BehindLast(absl::Span<const KernelIndex> kernels, KernelIndex end);

// Returns for each kernel the tensors that are allocated as it starts,
// ascending.
Groups BirthsByKernel(const Graph& graph);

// Returns for each of the K + 1 boundaries the tensors whose lives end there,
// ascending.
Groups DeathsByBoundary(const Graph& graph);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_LIVENESS_H_
