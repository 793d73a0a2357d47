// Measures copies in both directions at once.
//
//   absl::StatusOr<std::vector<BothWays>> both = MeasureBothWays(*dram, *file);
#ifndef STOWAGE_AGENTS_ENGINE_BOTH_WAYS_H_
#define STOWAGE_AGENTS_ENGINE_BOTH_WAYS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/engine/trial_copies.h"
#include "agents/tiers/tier_provider.h"

namespace stowage::agent {

// The bandwidth of copies out of the fast tier and into it, of one size, while
// the other direction copies, too. Memory systems do not have it: planners take
// the directions to be independent.
struct BothWays {
  int64_t buffer_bytes = 0;
  int64_t out_bytes_per_second = 0;
  int64_t in_bytes_per_second = 0;
};

// Returns one entry for each size. Blocks, and runs a second thread meanwhile.
// Errors are those of MakeTrialRooms() and of copies.
absl::StatusOr<std::vector<BothWays>> MeasureBothWays(
    const TierProvider& fast, const TierProvider& slow,
    const CalibrationOptions& options = {});

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_BOTH_WAYS_H_
