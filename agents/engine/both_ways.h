// Measures copies in both directions at once.
//
//   absl::StatusOr<std::vector<BothWays>> both = MeasureBothWays(*dram, *file);
//   absl::StatusOr<BothWays> one = MeasureBothWays(mover, 1 << 20, options);
#ifndef STOWAGE_AGENTS_ENGINE_BOTH_WAYS_H_
#define STOWAGE_AGENTS_ENGINE_BOTH_WAYS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/engine/mover.h"
#include "agents/engine/trial_copies.h"
#include "agents/tiers/tier_provider.h"

namespace stowage::agent {

// The bandwidth of copies out of the fast tier and into it, of one size, while
// the other direction copies, too.
struct BothWays {
  int64_t buffer_bytes = 0;
  int64_t out_bytes_per_second = 0;
  int64_t in_bytes_per_second = 0;
};

// Measures copies of one size. `mover` has the rooms that MakeTrialRooms() makes
// for `options`, of whose largest copies this may be one. Blocks, and runs a
// second thread meanwhile. Errors are those of copies.
absl::StatusOr<BothWays> MeasureBothWays(const Mover& mover, int64_t size_bytes,
                                         const CalibrationOptions& options);

// Returns one entry for each size. Blocks, and runs a second thread meanwhile.
// Errors are those of MakeTrialRooms() and of copies.
absl::StatusOr<std::vector<BothWays>> MeasureBothWays(
    const TierProvider& fast, const TierProvider& slow,
    const CalibrationOptions& options = {});

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_BOTH_WAYS_H_
