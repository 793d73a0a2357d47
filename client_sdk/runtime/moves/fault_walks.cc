#include "client_sdk/runtime/moves/fault_walks.h"

#include <algorithm>
#include <cstdlib>

namespace stowage::runtime {
namespace {

// A product goes along a row for so long before it goes on to the next one, at
// most: faults of two rows need not be in the same column.
constexpr int64_t kColumnBytes = 4 << 10;

void FindRow(FaultWalks::Walk& walk) {
  walk.steps = 0;
  for (const int64_t step_bytes : walk.steps_bytes) {
    if (step_bytes < kColumnBytes) continue;
    const auto steps = static_cast<int>(std::count_if(
        walk.steps_bytes.begin(), walk.steps_bytes.end(), [&](int64_t other) {
          return std::abs(other - step_bytes) < kColumnBytes;
        }));
    if (steps <= walk.steps) continue;
    walk.steps = steps;
    walk.row_bytes = step_bytes;
  }
}

}  // namespace

const FaultWalks::Walk& FaultWalks::Note(int thread, uint64_t block_id,
                                         int64_t offset_bytes) {
  Walk* walk = &walks_[0];
  for (Walk& other : walks_) {
    if (other.block_id == block_id && other.thread == thread) {
      walk = &other;
      break;
    }
    if (other.last_fault < walk->last_fault) walk = &other;
  }
  if (walk->block_id != block_id || walk->thread != thread) {
    *walk = {.thread = thread, .block_id = block_id, .at_bytes = offset_bytes};
  }
  walk->steps_bytes[walk->faults++ % walk->steps_bytes.size()] =
      offset_bytes - walk->at_bytes;
  walk->at_bytes = offset_bytes;
  walk->last_fault = ++faults_;
  FindRow(*walk);
  return *walk;
}

}  // namespace stowage::runtime
