// Static address layout: byte offsets for things whose lifetimes are known, so
// that no two that coexist overlap. This is offline dynamic storage allocation.
//
//   std::vector<LayoutItem> items = {{.size_bytes = 8192, .spans = {{0, 4}}}};
//   std::optional<std::vector<int64_t>> offsets = LayOut(items, limit_bytes);
//
// Pure functions, deterministic. What is cancelled leaves out the rest.
#ifndef STOWAGE_POLICIES_LAYOUT_ADDRESS_LAYOUT_H_
#define STOWAGE_POLICIES_LAYOUT_ADDRESS_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/layout/layout_item.h"
#include "policies/plan/cancellation.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

// What is most often enough, in a few milliseconds.
inline constexpr int64_t kRepairWork = 30'000;

// `size_bytes` rounded up to kPlacementAlignmentBytes.
constexpr int64_t RoundUpToPlacement(int64_t size_bytes) {
  return (size_bytes + kPlacementAlignmentBytes - 1) /
         kPlacementAlignmentBytes * kPlacementAlignmentBytes;
}

// Offsets parallel to `items`, or nullopt when none of the orders of placement
// that are tried fits into `capacity_bytes`. A bounded number of passes, each
// as long as skyline.h says.
std::optional<std::vector<int64_t>> LayOut(
    const std::vector<LayoutItem>& items, int64_t capacity_bytes,
    const Cancellation& cancellation = {});

// As LayOut, but leaves out what it does not find a place for: its offset is
// -1. `repair_work` as of RepairLayout.
std::vector<int64_t> LayOutMost(const std::vector<LayoutItem>& items,
                                int64_t capacity_bytes,
                                int64_t repair_work = kRepairWork,
                                const Cancellation& cancellation = {});

// As LayOutMost, in the first order alone: LayOut has a place for the rest
// where that is all there is. A capacity of 0 is unlimited.
std::vector<int64_t> LayOutWhatFits(const std::vector<LayoutItem>& items,
                                    int64_t capacity_bytes,
                                    const Cancellation& cancellation = {});

// The least capacity that LayOut finds for `items` without repairs.
int64_t LayoutPeakBytes(const std::vector<LayoutItem>& items);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_LAYOUT_ADDRESS_LAYOUT_H_
