// Makes the copies between tiers that the process makes itself: in demand mode,
// and when the agent is gone.
//
//   int error = CopyBetweenTiers(tiers, {0, 4096}, {1, 0}, 1 << 20);
//
// Blocks. Thread-safe for disjoint places.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_TIER_COPY_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_TIER_COPY_H_

#include <vector>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/connection/session_client.h"

namespace stowage::runtime {

// Copies `bytes`, a multiple of the page size, from one tier to another; one of
// them is addressable. An emulated medium's copy takes as long as the real one.
// Returns 0 or an errno; the source is whole in either case.
int CopyBetweenTiers(const std::vector<MappedTier>& tiers, Place from, Place to,
                     int64_t bytes);

// Reads or writes a file tier with direct I/O; `memory` is page-aligned.
int ReadFileTier(const MappedTier& tier, int64_t offset_bytes, void* memory,
                 int64_t bytes);
int WriteFileTier(const MappedTier& tier, int64_t offset_bytes,
                  const void* memory, int64_t bytes);

// Returns 0 if `memory` has what was written there, else session::kBadSum. The
// two functions above do so themselves.
int CheckRead(const MappedTier& tier, int64_t offset_bytes, const void* memory,
              int64_t bytes);

// Lets the calling thread pass this much time, precisely.
void SpendNs(int64_t duration_ns);

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_TIER_COPY_H_
