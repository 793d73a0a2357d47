// Measures a node's fast and slow tier through the very path that moves take.
//
//   absl::StatusOr<v1::MemorySystem> system =
//       MeasureMemorySystem("node1", *dram, *file);
//   absl::StatusOr<std::vector<BothWays>> both = MeasureBothWays(*dram, *file);
#ifndef STOWAGE_AGENTS_ENGINE_CALIBRATION_H_
#define STOWAGE_AGENTS_ENGINE_CALIBRATION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/tiers/tier_provider.h"
#include "stowage/v1/memory_system.pb.h"

namespace stowage::agent {

struct CalibrationOptions {
  // Sizes of the copies: whole pages, ascending, at least one. The first is the
  // smallest tensor that moves.
  std::vector<int64_t> buffer_bytes = {16 << 10, 64 << 10, 1 << 20, 16 << 20};
  int repetitions = 3;
  // Hears of each size of each curve before it is measured; may be empty.
  std::function<void(const std::string& what)> progress = nullptr;
};

// Returns the memory system that planners get. Its figures are medians, rounded
// to two digits so that a second agent on the same host mostly finds the plans
// of the first one. Uses three times the largest buffer of each tier meanwhile;
// by default it blocks for about half a second. Errors are those of
// TierProvider::CreateArena() and of copies.
absl::StatusOr<v1::MemorySystem> MeasureMemorySystem(
    const std::string& node, const TierProvider& fast, const TierProvider& slow,
    const CalibrationOptions& options = {});

// The bandwidth of copies out of the fast tier and into it, of one size, while
// the other direction copies, too. Memory systems do not have it: planners take
// the directions to be independent.
struct BothWays {
  int64_t buffer_bytes = 0;
  int64_t out_bytes_per_second = 0;
  int64_t in_bytes_per_second = 0;
};

// Returns one entry for each size. Runs a second thread, and needs as much room
// as MeasureMemorySystem(). Errors are the same.
absl::StatusOr<std::vector<BothWays>> MeasureBothWays(
    const TierProvider& fast, const TierProvider& slow,
    const CalibrationOptions& options = {});

// Returns `value` rounded to two significant decimal digits: 1234 -> 1200.
int64_t RoundToTwoDigits(int64_t value);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_CALIBRATION_H_
