// Finds places for the items that a layout left out. Each takes the place where
// it displaces least, and the displaced items look for other places. An item
// that was often displaced is displaced less readily, so that the same items do
// not take turns.
//
//   std::vector<int64_t> offsets = skyline.Pack(order, capacity_bytes);
//   RepairLayout(items, capacity_bytes, /*work=*/1'000'000, offsets);
//
// Pure, deterministic. Weights as in guided local search (Voudouris, Tsang,
// 1999).
#ifndef STOWAGE_POLICIES_LAYOUT_LAYOUT_REPAIR_H_
#define STOWAGE_POLICIES_LAYOUT_LAYOUT_REPAIR_H_

#include <cstdint>
#include <vector>

#include "policies/layout/layout_item.h"
#include "policies/plan/cancellation.h"

namespace stowage::policies {

// Repairs a layout. `offsets` are parallel to `items`, -1 for items that are
// left out; they become a layout that leaves out no more bytes. `work` is the
// number of pairs of items that are looked at.
void RepairLayout(const std::vector<LayoutItem>& items, int64_t capacity_bytes,
                  int64_t work, std::vector<int64_t>& offsets,
                  const Cancellation& cancellation = {});

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_LAYOUT_LAYOUT_REPAIR_H_
