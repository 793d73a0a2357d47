// Addresses for some items in the holes that others leave, which keep theirs.
//
//   std::optional<std::vector<int64_t>> offsets =
//       LayOutInHoles(items, {0, 8192, kNoAddress}, capacity_bytes);
//
// Pure functions, deterministic.
#ifndef STOWAGE_POLICIES_AGGREGATION_HOLE_LAYOUT_H_
#define STOWAGE_POLICIES_AGGREGATION_HOLE_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/layout/address_layout.h"

namespace stowage::policies {

inline constexpr int64_t kNoAddress = -1;

// `offsets` are parallel to `items`; kNoAddress where one is wanted. Items are
// placed early ones first, then the largest first, each at the lowest address
// at which nothing is that coexists with it. Nullopt when one finds no place
// below `capacity_bytes`, or when there are too many to look.
std::optional<std::vector<int64_t>> LayOutInHoles(
    const std::vector<LayoutItem>& items, std::vector<int64_t> offsets,
    int64_t capacity_bytes);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AGGREGATION_HOLE_LAYOUT_H_
