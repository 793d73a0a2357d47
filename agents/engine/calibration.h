// Measures a node's fast and slow tier through the very path that moves take.
//
//   absl::StatusOr<v1::MemorySystem> system =
//       MeasureMemorySystem("node1", *dram, *file);
#ifndef STOWAGE_AGENTS_ENGINE_CALIBRATION_H_
#define STOWAGE_AGENTS_ENGINE_CALIBRATION_H_

#include <string>

#include "absl/status/statusor.h"
#include "agents/engine/trial_copies.h"
#include "agents/tiers/tier_provider.h"
#include "stowage/v1/memory_system.pb.h"

namespace stowage::agent {

// Returns the memory system that planners get. Its figures are medians, rounded
// to two digits so that a second agent on the same host mostly finds the plans
// of the first one. Uses three times the largest buffer of each tier meanwhile;
// by default it blocks for about a second. Errors are those of
// TierProvider::CreateArena() and of copies.
absl::StatusOr<v1::MemorySystem> MeasureMemorySystem(
    const std::string& node, const TierProvider& fast, const TierProvider& slow,
    const CalibrationOptions& options = {});

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_CALIBRATION_H_
