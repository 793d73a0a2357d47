// Declares the profile of one step, which the process writes for the agent.
//
//   session::KernelRecord& mm = profile->kernels[profile->kernel_count++];
//   mm.duration_ns = 1'000'000;
//
// The rules of session.h hold.
#ifndef STOWAGE_CLIENT_SDK_SESSION_PROFILE_AREA_H_
#define STOWAGE_CLIENT_SDK_SESSION_PROFILE_AREA_H_

#include <cstdint>

#include "client_sdk/session/move_lane.h"

namespace stowage::session {

inline constexpr uint32_t kMaxKernels = 1u << 17;
inline constexpr uint32_t kMaxOperands = 1u << 20;
inline constexpr uint32_t kMaxBlocks = 1u << 18;
inline constexpr uint32_t kMaxNameBytes = 1u << 20;

// A kernel that touches or allocates at least one managed tensor. Smaller
// operators between two kernels are part of the second one's gap.
struct KernelRecord {
  uint64_t key;  // hash of the operator's name; what a plan is matched by
  uint32_t name_offset;  // into ProfileArea::names, NUL-terminated
  uint32_t first_operand;
  uint32_t operand_count;
  uint32_t slow_operands;  // were used in place in a slow tier or streamed
  int64_t gap_ns;
  // Without time spent moving or streaming tensors or emulating a medium.
  int64_t duration_ns;
  int64_t flops;  // 0: unknown
  // Sizes of the operands that streamed, by how they were used: those that were
  // read, and those that were written. Its threads waited so long for them.
  int64_t streamed_bytes;
  int64_t stream_ns;
  // The window that they passed through if nothing was read twice; 0 otherwise.
  int64_t window_bytes;
  LaneTimes beside;  // of its duration
};

enum OperandFlags : uint32_t {
  kOperandRead = 1,
  kOperandWrite = 2,
  kOperandStreamed = 4,   // it passed through the window
  kOperandScattered = 8,  // the kernel jumps about in it
};

struct OperandRecord {
  uint32_t block;  // index into ProfileArea::blocks
  uint32_t flags;
  uint32_t access_count;
  uint32_t reserved;
};

enum BlockFlags : uint32_t {
  kBlockParameter = 1u << 0,  // a leaf that requires gradients
  kBlockRaw = 1u << 1,        // has no storage: library scratch, cannot move
  kBlockPinned = 1u << 2,     // its address is known outside
  kBlockBackward = 1u << 3,   // allocated while gradients were computed
};

// A managed allocation that was alive during the profiled step.
//
// If it was alive when the step began, birth_kernel is -1 and
// `previous_birth_*` say where in the step before it was born; they are -1 if
// it was born earlier or in another kind of step, and it is persistent then
// unless it is freed. If it was alive when the step ended, death_kernel is -1.
struct BlockRecord {
  uint64_t id;  // unique in the process
  int64_t size_bytes;
  int32_t birth_kernel;
  int32_t birth_ordinal;  // among the kernel's managed allocations
  int32_t death_kernel;   // freed after this kernel ended, before the next one
  int32_t previous_birth_kernel;
  int32_t previous_birth_ordinal;
  uint32_t flags;
};

struct ProfileArea {
  uint64_t signature;
  int64_t step_index;
  int64_t duration_ns;
  int64_t tensor_peak_bytes;     // all tensor bytes alive at once
  int64_t unmanaged_peak_bytes;  // of storages below the managed size
  uint32_t kernel_count;
  uint32_t operand_count;
  uint32_t block_count;
  uint32_t name_bytes;
  KernelRecord kernels[kMaxKernels];
  OperandRecord operands[kMaxOperands];
  BlockRecord blocks[kMaxBlocks];
  char names[kMaxNameBytes];
};

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_PROFILE_AREA_H_
