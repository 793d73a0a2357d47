// Guesses how many kernels pass until a block is used again.
//
//   NoteUse(*block, blocks.clock());
//   const int64_t kernels = UseDistance(*block, blocks.clock());
//
// An optimizer's state is used once in a step, in few kernels that follow one
// another: one visit. Where visits are about as far apart as the last time, the
// next one will be as well. Such a block is best out of fast memory right after
// a visit, and not when it has been idle for longest, just before the next one.
// Of other blocks it is only known that those which have not been used for long
// will not be used soon.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_USE_DISTANCE_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_USE_DISTANCE_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "client_sdk/runtime/blocks/block.h"

namespace stowage::runtime {

// Uses with fewer kernels between them are one visit.
inline constexpr int64_t kVisitKernels = 64;

// Notes that a kernel uses the block.
inline void NoteUse(Block& block, int64_t now_kernel) {
  const int64_t gap = now_kernel - block.last_use;
  if (block.last_use > 0 && gap > kVisitKernels) {
    block.regular = std::abs(gap - block.gap) <= gap / 4;
    block.gap = gap;
  }
  block.last_use = now_kernel;
}

// Returns the guess, above 0.
inline int64_t UseDistance(const Block& block, int64_t now_kernel) {
  const int64_t idle = now_kernel - block.last_use;
  const bool overdue = idle > block.gap + block.gap / 4;
  const bool known = block.regular && !overdue;
  return std::max<int64_t>(1, known ? block.gap - idle : idle + 1);
}

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_USE_DISTANCE_H_
