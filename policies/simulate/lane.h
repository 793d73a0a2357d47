// Names the lane that copies from one tier to another.
//
//   const std::vector<Lane> lanes = {{kFastTier, 1}, {1, kFastTier}};
#ifndef STOWAGE_POLICIES_SIMULATE_LANE_H_
#define STOWAGE_POLICIES_SIMULATE_LANE_H_

#include "policies/model/memory_system.h"

namespace stowage::policies {

struct Lane {
  TierIndex from = 0;
  TierIndex to = 0;

  bool operator==(const Lane&) const = default;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SIMULATE_LANE_H_
