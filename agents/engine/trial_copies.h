// Makes copies for the sake of their time, through the very path that moves
// take.
//
//   absl::StatusOr<std::vector<TierRoom>> rooms =
//       MakeTrialRooms(*dram, *file, options);
//   const Mover mover(&*rooms, &never);
//   absl::StatusOr<int64_t> ns = MeasureCopyNs(mover, order, /*repetitions=*/3);
#ifndef STOWAGE_AGENTS_ENGINE_TRIAL_COPIES_H_
#define STOWAGE_AGENTS_ENGINE_TRIAL_COPIES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/engine/move_order.h"
#include "agents/engine/mover.h"
#include "agents/engine/tier_room.h"
#include "agents/tiers/tier_provider.h"

namespace stowage::agent {

struct CalibrationOptions {
  // Sizes of the copies: whole pages, ascending, at least one.
  std::vector<int64_t> buffer_bytes = {16 << 10, 64 << 10, 1 << 20, 16 << 20};
  int repetitions = 3;
  // Hears of each size of each curve before it is measured; may be empty.
  std::function<void(const std::string& what)> progress = nullptr;
};

// Out of the fast tier, and into it.
inline constexpr MoveOrder kOutOfFast = {.to_tier = 1};
inline constexpr MoveOrder kIntoFast = {.from_tier = 1};

// Makes room for three copies of the largest size, side by side, in both tiers.
// The first two of the slow tier have been written: holes of a file are read
// without its medium. Errors are those of TierProvider::CreateArena() and of
// copies.
absl::StatusOr<std::vector<TierRoom>> MakeTrialRooms(
    const TierProvider& fast, const TierProvider& slow,
    const CalibrationOptions& options);

// Returns the median time of one copy, at least 1 ns. Blocks.
absl::StatusOr<int64_t> MeasureCopyNs(const Mover& mover,
                                      const MoveOrder& order, int repetitions);

// Tells options.progress what is measured now.
void Tell(const CalibrationOptions& options, const std::string& curve,
          int64_t size_bytes);

// Returns the bandwidth of a copy, rounded to two digits, at least 1.
int64_t BytesPerSecond(int64_t size_bytes, int64_t duration_ns);

// Returns `value` rounded to two significant decimal digits: 1234 -> 1200.
int64_t RoundToTwoDigits(int64_t value);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_TRIAL_COPIES_H_
