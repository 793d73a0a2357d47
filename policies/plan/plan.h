// Describes a plan: where every tensor lives at every kernel, and when it
// moves. proto/stowage/v1/plan.proto says what boundaries mean.
//
// Plain data, freely copied.
#ifndef STOWAGE_POLICIES_PLAN_PLAN_H_
#define STOWAGE_POLICIES_PLAN_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "policies/model/graph.h"
#include "policies/model/implementations.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

// Offsets are multiples of this; sizes are rounded up to it.
inline constexpr int64_t kPlacementAlignmentBytes = 4096;

// Tensors smaller than a page may share one where the tier is addressable. Then
// this takes the place of kPlacementAlignmentBytes, and each of them lies
// within its page.
inline constexpr int64_t kSharedPageAlignmentBytes = 64;

struct Placement {
  TierIndex tier = kFastTier;
  int64_t offset_bytes = 0;
  bool operator==(const Placement&) const = default;
};

struct Allocation {
  TensorIndex tensor = 0;
  Placement at;
};

struct Move {
  TensorIndex tensor = 0;
  Placement from;
  Placement to;
  KernelIndex start_kernel = 0;     // boundary at which the copy may begin
  KernelIndex deadline_kernel = 0;  // boundary at which it is waited for
  // Into the fast tier: the source stays held, since a drop returns to it.
  bool keeps_source = false;
  // Out of the fast tier, synchronous: nothing is copied, since `to` is the
  // source that was kept and no kernel has written the tensor meanwhile.
  bool is_drop = false;

  bool synchronous() const { return start_kernel == deadline_kernel; }
};

// A kernel that streams operands, through a window that it has to itself while
// it runs: room in the fast tier, `window_bytes` at `window_offset_bytes`.
// Without one it streams through the little that the runtime always has, slowly.
struct Stream {
  KernelIndex kernel = 0;
  std::vector<TensorIndex> tensors;
  int64_t window_offset_bytes = 0;
  int64_t window_bytes = 0;
};

struct Prediction {
  int64_t step_time_ns = 0;
  int64_t stall_ns = 0;
  int64_t fast_peak_bytes = 0;
  int64_t moved_in_bytes = 0;
  int64_t moved_out_bytes = 0;
  double locality = 0;
  int64_t stream_ns = 0;
  int64_t slowdown_ns = 0;
};

struct Plan {
  std::string graph_id;
  std::string system;
  std::string policy;
  int64_t fast_limit_bytes = 0;
  std::vector<Allocation> initial;      // by tensor
  std::vector<Allocation> allocations;  // by (birth kernel, tensor)
  std::vector<Move> moves;              // by start kernel
  std::vector<Stream> streams;          // by kernel
  // By kernel; kernels that are not listed run implementation 0.
  std::vector<ImplementationChoice> implementations;
  Prediction prediction;
  bool fits = false;
  // What a reader should know of how the plan came to be, one sentence each.
  std::vector<std::string> notes;
  // The plan's value is at most this share above the best one of the policy's
  // own objective; 0: proven optimal. Negative: no claim.
  double solver_gap = -1;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLAN_PLAN_H_
