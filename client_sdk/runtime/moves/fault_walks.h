// Finds threads whose faults go over a block in rows, as a matrix product's do
// that goes down a column: from row to row, or a few rows at a time in any
// order. What such a walk needs next can be read ahead.
//
//   FaultWalks walks;
//   const FaultWalks::Walk& walk = walks.Note(thread, block->id, offset_bytes);
//   if (walk.steps >= 3) ReadAhead(offset_bytes + walk.row_bytes);
//
// Pure: fixed arrays, no system calls. Not thread-safe.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_MOVES_FAULT_WALKS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_MOVES_FAULT_WALKS_H_

#include <array>
#include <cstdint>

namespace stowage::runtime {

class FaultWalks {
 public:
  struct Walk {
    int thread = 0;
    uint64_t block_id = 0;  // 0: none
    int64_t at_bytes = 0;
    int64_t last_fault = 0;
    int64_t faults = 0;
    // Its last steps, and the one up that they have most often, as often.
    std::array<int64_t, 16> steps_bytes{};
    int64_t row_bytes = 0;
    int steps = 0;
  };

  // Notes a fault of a thread, `offset_bytes` into a block. Returns where the
  // thread's walk through the block is; valid until the next call.
  const Walk& Note(int thread, uint64_t block_id, int64_t offset_bytes);

 private:
  int64_t faults_ = 0;
  std::array<Walk, 64> walks_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_MOVES_FAULT_WALKS_H_
