// Finds addresses for some items in the holes that others, which keep theirs,
// leave.
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

// Returns the addresses. `offsets` are parallel to `items`; kNoAddress asks for
// one. Early items are placed first, then the largest first, each at the lowest
// address at which nothing lies that coexists with it. Returns nullopt if an
// item finds no place below `capacity_bytes`, or if there are too many to look.
std::optional<std::vector<int64_t>> LayOutInHoles(
    const std::vector<LayoutItem>& items, std::vector<int64_t> offsets,
    int64_t capacity_bytes);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AGGREGATION_HOLE_LAYOUT_H_
