// Records one step as it runs: kernels, operands, and the blocks that were
// alive.
//
//   profile.Begin();
//   int32_t kernel = profile.AddKernel(key, "aten::relu", gap_ns);
//   profile.AddOperand(kernel,
//                      {.block = block, .flags = session::kOperandRead});
//   profile.EndKernel(kernel, {.duration_ns = duration_ns});
//   if (profile.Fits()) profile.Write(&segment->profile);
//
// Not thread-safe.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_PROFILE_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_PROFILE_H_

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/session/session.h"

namespace stowage::runtime {

// What is known of a kernel when it has ended; as in session::KernelRecord.
struct MeasuredKernel {
  int64_t duration_ns = 0;
  int64_t flops = 0;
  uint32_t slow_operands = 0;
  int64_t streamed_bytes = 0;
  int64_t stream_ns = 0;
  int64_t window_bytes = 0;
  session::LaneTimes beside = {};
};

class StepProfile {
 public:
  // Starts a new step; forgets the one before.
  void Begin();

  // Adds a block that is alive when the step begins; `previous_tag` is the
  // birth tag that it got in the step before, 0 if it is older.
  void AddAlive(Block* block, uint64_t previous_tag);

  // Returns the kernel's index. `gap_ns` is the host time before it.
  int32_t AddKernel(uint64_t key, std::string_view name, int64_t gap_ns);
  // Adds a use of a block by a kernel; uses of the same block add up.
  void AddOperand(int32_t kernel, const KernelOperand& operand);
  // Notes that the block, which the kernel uses, passes through the window.
  void NoteStreamed(int32_t kernel, const Block& block);
  // Notes that something else uses the block beside all kernels from the next
  // one on, until one names it again or it dies. They count as reading it.
  void AddUseBeside(const Block& block);
  void AddBirth(int32_t kernel, int32_t ordinal, Block* block);
  // Notes that the block dies after the kernel that ran last.
  void AddDeath(const Block& block);
  void EndKernel(int32_t kernel, const MeasuredKernel& measured);

  // Mixes everything that a step must repeat to be the same step: operators and
  // sizes of allocations.
  uint64_t signature() const { return signature_; }
  std::string_view name(int32_t kernel) const { return names_[kernel]; }
  int32_t kernel_count() const { return static_cast<int32_t>(kernels_.size()); }

  // Returns the origins (block_origins.h) of the blocks that were alive when
  // the step began, by block id.
  const std::unordered_map<uint64_t, uint64_t>& origins() const {
    return origins_;
  }

  // Copies everything into the segment; the step must fit (see Fits()).
  void Write(session::ProfileArea* area) const;
  bool Fits() const;

 private:
  using Operand = std::pair<int32_t, session::OperandRecord>;  // of a kernel
  // A block that something else uses from a kernel on.
  struct UseBeside {
    uint32_t block;
    int32_t first_kernel;
  };

  std::vector<Operand> AllOperands() const;
  int32_t EndOf(const UseBeside& use) const;
  session::OperandRecord* FindOperand(int32_t kernel, uint32_t block);
  int32_t Add(Block* block, const session::BlockRecord& record, uint64_t tag);

  uint64_t signature_ = 0;
  std::vector<session::KernelRecord> kernels_;
  // In order of execution; several kernels of different threads may be open.
  std::vector<Operand> operands_;
  std::vector<UseBeside> uses_beside_;
  std::vector<session::BlockRecord> blocks_;
  std::vector<uint64_t>
      tags_;                   // parallel to blocks_: previous or own birth tag
  std::vector<Block*> alive_;  // parallel to blocks_; null once dead
  std::vector<std::string_view> names_;
  std::unordered_map<uint64_t, uint64_t> origins_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_PROFILE_H_
