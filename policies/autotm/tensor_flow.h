// Describes a tensor's network flow (AutoTM, section 3.1, figure 6): the
// kernels that use it, the rests between them, and what its moves cost. A unit
// of flow goes through each use and each rest either in the fast tier or in a
// slower one.
//
//   std::vector<TensorFlow> flows = MakeTensorFlows(graph, system, workload);
//
// Kernels and boundaries are unrolled over two steps, as in
// planning/inactive_period.h: with K kernels, kernel k of the next step is K +
// 1 + k.
#ifndef STOWAGE_POLICIES_AUTOTM_TENSOR_FLOW_H_
#define STOWAGE_POLICIES_AUTOTM_TENSOR_FLOW_H_

#include <cstdint>
#include <vector>

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/planning/workload.h"

namespace stowage::policies {

// Says where a use may find its tensor.
enum class UsePlace { kEither, kFast, kSlow };

struct FlowUse {
  KernelIndex kernel = 0;  // unrolled
  UsePlace place = UsePlace::kEither;
  bool writes = false;  // or gives birth: copies made before are stale
};

struct TensorFlow {
  TensorIndex tensor = 0;
  bool cyclic = false;  // persistent: the last rest leads to the first use
  int64_t bytes = 0;    // rounded to the granularity of placement
  int64_t in_ns = 0;    // one copy into the fast tier
  int64_t out_ns = 0;   // one copy out of it
  // In the order of its life. If the flow is not cyclic, the first is the
  // birth.
  std::vector<FlowUse> uses;
  // The boundary, unrolled, where the rest after the last use ends.
  KernelIndex end = 0;

  int use_count() const { return static_cast<int>(uses.size()); }
  // Returns whether the flow goes on from use `i` to another use.
  bool has_next(int i) const { return cyclic || i + 1 < use_count(); }
  int next(int i) const { return (i + 1) % use_count(); }
  // Return the first and the last kernel of the rest after use `i`, without the
  // boundary that ends the step. There is no rest where a life ends.
  KernelIndex first_rest(int i) const { return uses[i].kernel + 1; }
  KernelIndex last_rest(int i) const {
    return i + 1 < use_count() ? uses[i + 1].kernel - 1 : end - 1;
  }
  bool has_rest(int i) const {
    return has_next(i) || first_rest(i) <= last_rest(i);
  }
};

// Returns the flows of all movable tensors that some kernel uses, by tensor. A
// use is free to find its tensor in either tier if a slower one is addressable;
// otherwise it is staged or streamed, as the workload says.
std::vector<TensorFlow> MakeTensorFlows(const Graph& graph,
                                        const MemorySystem& system,
                                        const Workload& workload);

// Says what is chosen for one rest. Boundaries are unrolled; equal ones make a
// synchronous move.
struct Rest {
  bool fast = true;  // stays in the fast tier throughout
  KernelIndex leave = 0, left = 0;
  KernelIndex fetch = 0, back = 0;
};

// Holds the path through one tensor's network, parallel to TensorFlow::uses.
struct TensorPath {
  std::vector<bool> fast;
  std::vector<Rest> rests;  // meaningful where has_rest
};

// Paths, parallel to the flows.
using Paths = std::vector<TensorPath>;

// Returns paths on which everything is as slow as it may be and every move is
// synchronous.
Paths SlowestPaths(const std::vector<TensorFlow>& flows);

// Returns a rest after use `i` that leaves at once and comes back just in time.
Rest SynchronousRest(const TensorFlow& flow, int i);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AUTOTM_TENSOR_FLOW_H_
