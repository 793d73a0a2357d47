#include "policies/bound/lane_couplings.h"

#include <algorithm>

namespace stowage::policies {

std::vector<LaneCoupling> FindLaneCouplings(const MemorySystem& system) {
  std::vector<LaneCoupling> couplings;
  for (TierIndex tier = 1; tier < system.tier_count(); ++tier) {
    const double out = system.BothWaysShare(kFastTier, tier);
    const double in = system.BothWaysShare(tier, kFastTier);
    const double of_out = std::min(1.0, (1 - in) / out);
    const double of_in = std::min(1.0, (1 - out) / in);
    if (of_out > 0) couplings.push_back({.slower = tier - 1, .out = of_out});
    // The two are one where both lanes copy no more together than one alone.
    if (of_in > 0 && of_out < 1) {
      couplings.push_back({.slower = tier - 1, .in = of_in});
    }
  }
  return couplings;
}

}  // namespace stowage::policies
