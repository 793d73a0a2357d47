// Makes memory systems whose lanes slow each other, for tests.
#ifndef STOWAGE_TESTS_UNIT_POLICIES_SLOWED_LANES_H_
#define STOWAGE_TESTS_UNIT_POLICIES_SLOWED_LANES_H_

#include "policies/model/memory_system.h"
#include "policies/model/presets.h"

namespace stowage::policies {

// Returns a preset of which copies out of the fast tier and into it keep these
// shares of their bandwidth beside each other.
inline MemorySystem WithShares(const char* name, double out, double in) {
  MemorySystem system = *PresetMemorySystem(name);
  for (CopyCurve& curve : system.copies) {
    if (curve.from_tier == kFastTier) curve.both_ways_share = out;
    if (curve.to_tier == kFastTier) curve.both_ways_share = in;
  }
  return system;
}

}  // namespace stowage::policies

#endif  // STOWAGE_TESTS_UNIT_POLICIES_SLOWED_LANES_H_
