// Tells blocks of different steps that play the same part, by where they come
// from.
//
//   NameOrigins(blocks.all(), step.index, signature);  // of the step before
//   const uint64_t part = block->origin;  // the same as the profiled block's
//
// A block that is alive when a step begins is either there for good, such as a
// weight, and known by its id; or some step bore it, and another block of that
// origin will stand in its place next time: the batch that the step before has
// loaded, what one model of a pair has made for the other. The origin of such a
// block is the kind of the step that bore it, the birth in that step, and how
// many younger blocks of the same birth are alive.
//
// Pure. The Job's mutex guards the blocks.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_BLOCK_ORIGINS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_BLOCK_ORIGINS_H_

#include <cstdint>
#include <unordered_set>

#include "client_sdk/runtime/blocks/block.h"

namespace stowage::runtime {

// Names the origins of the blocks that are alive when step number `step`
// begins; the step before it had that signature. Blocks of the job's first step
// have none: it bears what stays.
void NameOrigins(const std::unordered_set<Block*>& blocks, int64_t step,
                 uint64_t signature);

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_BLOCK_ORIGINS_H_
