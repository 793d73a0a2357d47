// Says what a step demands of the fast tier under a limit: which tensors each
// kernel needs there, and which of its operands have to be used in a slower
// tier because not all of them fit. This is where a limit that is too small is
// found.
//
//   absl::StatusOr<Workload> workload =
//       MakeWorkload(graph, system, limit_bytes);
//   for (TensorIndex t : workload->staged[k]) Fetch(t);  // before kernel k
#ifndef STOWAGE_POLICIES_PLANNING_WORKLOAD_H_
#define STOWAGE_POLICIES_PLANNING_WORKLOAD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/cancellation.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

struct Workload {
  int64_t fast_limit_bytes = 0;
  int64_t arena_bytes = 0;  // for tensors: the limit less unmanaged storages
  // By kernel: tensors that have to be in the fast tier while it runs. These
  // are its operands, its workspace and tensors that are born, less those left
  // slow.
  std::vector<std::vector<TensorIndex>> staged;
  // By kernel: operands that are used in place or streamed, in a slower tier,
  // and tensors that are born there.
  std::vector<std::vector<TensorIndex>> left_slow;
  // By kernel: rounded bytes of `staged` and the room of all pinned tensors.
  std::vector<int64_t> need_bytes;
  std::vector<Stream> streams;  // by kernel
  // That of the plan for which this is made.
  Cancellation cancellation;
};

// Computes the demands. FAILED_PRECONDITION if some kernel does not fit however
// its operands are used; it names the kernel and the least limit.
absl::StatusOr<Workload> MakeWorkload(const Graph& graph,
                                      const MemorySystem& system,
                                      int64_t fast_limit_bytes,
                                      const Cancellation& cancellation = {});

// Returns "fast limit 20 MiB (20971520 bytes)" and, where that is all that the
// fast tier has, that a larger limit does not help.
std::string DescribeFastLimit(const MemorySystem& system,
                              int64_t fast_limit_bytes);

// Returns the least fast memory for which MakeWorkload succeeds, a multiple of
// kPlacementAlignmentBytes, and the kernel that needs it.
struct LeastLimit {
  int64_t bytes = 0;
  KernelIndex kernel = 0;
};
LeastLimit FindLeastLimit(const Graph& graph, const MemorySystem& system);

// Returns the graph with a window, as a tensor that lives while one kernel runs,
// for each kernel that has to stream under this limit and has none: it is placed
// as a workspace is. Tensors stream, the largest first, until what is left of the
// fast tier is two thirds of it, half of what streams, or 64 MiB; that is the
// window, in multiples of 256 KiB. Returns nullopt if there is no such kernel.
std::optional<Graph> WithStreamWindows(const Graph& graph,
                                       const MemorySystem& system,
                                       int64_t fast_limit_bytes);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLANNING_WORKLOAD_H_
