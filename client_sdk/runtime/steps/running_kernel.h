// A kernel that is running on some thread.
//
//   RunningKernel kernel{.key = key, .name = "aten::relu"};
//   job.BeginKernel(&kernel, operands);
//   Relu(input);
//   job.EndKernel(&kernel, outputs);
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_STEPS_RUNNING_KERNEL_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_STEPS_RUNNING_KERNEL_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/connection/session_client.h"
#include "client_sdk/session/session.h"

namespace stowage::runtime {

// Lives on that thread's stack.
struct RunningKernel {
  uint64_t key = 0;
  std::string_view name;  // outlives the process
  int64_t flops = 0;
  // What it is about to allocate, as far as its operator tells; 0: not known.
  int64_t result_bytes = 0;
  // Whether it works on that in place, many times over.
  bool reworks_result = false;
  bool backward = false;
  // Runs beside the step: it is not profiled, follows no plan and uses its
  // operands where they are.
  bool auxiliary = false;
  // Filled in by the Job, whose mutex guards it from here on.
  int32_t index = -1;  // in the step; -1 until it touches managed memory
  int32_t ordinal = 0;
  uint64_t shape = 0;  // its key and the sizes of its operands
  int64_t step = -1;
  int64_t start_ns = 0;
  int64_t moved_ns = 0;  // of its duration, spent moving tensors
  session::LaneTimes earlier_copied = {};  // by the lanes until it began
  // Stalls of the step until it was entered.
  int64_t earlier_stall_ns = 0;
  int64_t working_bytes = 0;  // its operands and what it allocated
  int64_t born_bytes = 0;     // of these, what it allocated
  bool extends_window = false;
  int64_t slow_read_bytes[session::kMaxTiers] = {};
  int64_t slow_write_bytes[session::kMaxTiers] = {};
  uint32_t slow_operands = 0;
  int64_t streamed_bytes = 0;  // read and written
  int64_t streamed_read_bytes = 0;
  bool births_stream = false;  // some of what it allocates does
  std::vector<Block*> in_use;

  // Notes that it uses the operand where that is, in a slow tier.
  void NoteSlowUse(const KernelOperand& operand);
  // Notes that the operand streams.
  void NoteStreaming(const KernelOperand& operand);
  // Notes that it will write a new block where that is, in a slow tier.
  void NoteSlowBirth(const Block& block);
  // Notes that a new block streams: a kernel writes its output, and writes and
  // reads its scratch.
  void NoteStreamingBirth(const Block& block);
  // Returns whether it streams, and read nothing twice when `read_bytes` came
  // from the file meanwhile.
  bool StreamsOnce(int64_t read_bytes) const;
  // Returns how much longer it takes because slow tiers are emulated.
  int64_t SlowTimeNs(const std::vector<MappedTier>& tiers) const;
};

inline void RunningKernel::NoteSlowUse(const KernelOperand& operand) {
  const int tier = operand.block->place.tier;
  if (operand.flags & session::kOperandRead) {
    slow_read_bytes[tier] += operand.block->size_bytes;
  }
  if (operand.flags & session::kOperandWrite) {
    slow_write_bytes[tier] += operand.block->size_bytes;
  }
  ++slow_operands;
}

inline void RunningKernel::NoteStreaming(const KernelOperand& operand) {
  const int64_t bytes = operand.block->size_bytes;
  if (operand.flags & session::kOperandWrite) streamed_bytes += bytes;
  if (!(operand.flags & session::kOperandRead)) return;
  streamed_bytes += bytes;
  streamed_read_bytes += bytes;
}

inline void RunningKernel::NoteSlowBirth(const Block& block) {
  slow_write_bytes[block.place.tier] += block.size_bytes;
  ++slow_operands;
}

inline void RunningKernel::NoteStreamingBirth(const Block& block) {
  births_stream = true;
  const bool scratch = block.storage == nullptr;
  streamed_bytes += scratch ? 2 * block.size_bytes : block.size_bytes;
  if (scratch) streamed_read_bytes += block.size_bytes;
}

// The last page of an operand may be read with what is beyond it.
inline bool RunningKernel::StreamsOnce(int64_t read_bytes) const {
  return streamed_bytes > 0 &&
         read_bytes <= streamed_read_bytes + streamed_read_bytes / 16;
}

inline int64_t RunningKernel::SlowTimeNs(
    const std::vector<MappedTier>& tiers) const {
  int64_t ps = 0;
  for (size_t i = 0; i < tiers.size(); ++i) {
    ps += slow_read_bytes[i] * tiers[i].info.kernel_read_ps_per_byte +
          slow_write_bytes[i] * tiers[i].info.kernel_write_ps_per_byte;
  }
  return ps / 1000;
}

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_STEPS_RUNNING_KERNEL_H_
