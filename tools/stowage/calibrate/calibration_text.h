// Says what was measured of two tiers, as a table and as data for a picture.
//
//   std::cout << CalibrationToText(system, both_ways);
//   nlohmann::json picture = CalibrationToJson(system, both_ways);
#ifndef STOWAGE_TOOLS_STOWAGE_CALIBRATE_CALIBRATION_TEXT_H_
#define STOWAGE_TOOLS_STOWAGE_CALIBRATE_CALIBRATION_TEXT_H_

#include <string>
#include <vector>

#include "agents/engine/both_ways.h"
#include "nlohmann/json.hpp"
#include "stowage/v1/memory_system.pb.h"

namespace stowage::cli {

// Both functions take a system of two tiers whose copies are out of the fast
// tier and into it, in this order, of the sizes that `both_ways` has.

// Returns a table of bandwidths by the size of copies.
std::string CalibrationToText(const v1::MemorySystem& system,
                              const std::vector<agent::BothWays>& both_ways);

// Returns {"title", "fast", "slow", "sizes": [{"buffer_bytes",
// "out_bytes_per_second", "in_bytes_per_second", and both with
// "_both_ways" before "_bytes"}]}.
nlohmann::json CalibrationToJson(const v1::MemorySystem& system,
                                 const std::vector<agent::BothWays>& both_ways);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_CALIBRATE_CALIBRATION_TEXT_H_
