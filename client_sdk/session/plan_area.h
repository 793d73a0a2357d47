// Declares the plan table, which the agent writes for the process.
//
//   for (uint32_t i = 0; i < plan->move_count; ++i) Begin(plan->moves[i]);
//
// The rules of session.h hold.
#ifndef STOWAGE_CLIENT_SDK_SESSION_PLAN_AREA_H_
#define STOWAGE_CLIENT_SDK_SESSION_PLAN_AREA_H_

#include <cstdint>

#include "client_sdk/session/profile_area.h"

namespace stowage::session {

inline constexpr uint32_t kMaxMoves = 1u << 18;

// What the simulator predicts of a step: its duration, and parts of that.
struct PredictedTimes {
  int64_t step_ns;
  int64_t gaps_ns;      // between kernels
  int64_t stall_ns;     // waiting for moves
  int64_t stream_ns;    // waiting for what streams
  int64_t slowdown_ns;  // kernels are longer beside copies
};

struct PlanKernel {
  uint64_t key;
  uint32_t first_allocation;
  uint32_t allocation_count;
  int64_t duration_ns;  // that the plan counts on, without copies beside it
};

// By (kernel, ordinal).
struct PlanAllocation {
  int32_t tensor;
  int32_t tier;
  int64_t offset_bytes;
  int64_t size_bytes;

  bool operator==(const PlanAllocation&) const = default;
};

// A tensor that is alive when the step begins. `block_id` names a persistent
// one by its block in the profiled step; another one is named by where it was
// born in the step before.
struct PlanInitial {
  int32_t tensor;
  int32_t tier;
  int64_t offset_bytes;
  int64_t size_bytes;
  uint64_t block_id;
  int32_t birth_kernel;
  int32_t birth_ordinal;
};

// `keeps_source` and `is_drop` of proto/stowage/v1/plan.proto. A move has at
// most one of them.
enum PlanMoveFlags : uint32_t { kMoveKeepsSource = 1, kMoveIsDrop = 2 };

// By start kernel; boundaries as in proto/stowage/v1/plan.proto.
struct PlanMove {
  int32_t tensor;
  int32_t from_tier;
  int32_t to_tier;
  int32_t start_kernel;
  int32_t deadline_kernel;
  uint32_t flags;  // PlanMoveFlags
  int64_t from_offset_bytes;
  int64_t to_offset_bytes;
  int64_t size_bytes;

  bool operator==(const PlanMove&) const = default;
};

// By kernel; all streams of a kernel name its window.
struct PlanStream {
  int32_t kernel;
  int32_t tensor;
  int64_t window_offset_bytes;  // in the fast tier
  int64_t window_bytes;         // 0: it has none
};

struct PlanArea {
  uint64_t signature;  // of the profiled step
  char policy[64];
  PredictedTimes predicted;
  int64_t fast_limit_bytes;
  uint32_t tensor_count;
  uint32_t kernel_count;
  uint32_t initial_count;
  uint32_t allocation_count;
  uint32_t move_count;
  uint32_t stream_count;
  PlanKernel kernels[kMaxKernels];
  PlanInitial initial[kMaxBlocks];
  PlanAllocation allocations[kMaxBlocks];
  PlanMove moves[kMaxMoves];
  PlanStream streams[kMaxBlocks];
};

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_PLAN_AREA_H_
