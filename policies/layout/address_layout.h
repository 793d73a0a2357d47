// Assigns byte offsets to things whose lifetimes are known, so that no two that
// coexist overlap. This is offline dynamic storage allocation.
//
//   std::vector<LayoutItem> items = {{.size_bytes = 8192, .spans = {{0, 4}}}};
//   std::optional<std::vector<int64_t>> offsets = LayOut(items, limit_bytes);
//
// Pure functions, deterministic. Once cancelled, a layout leaves out the rest.
#ifndef STOWAGE_POLICIES_LAYOUT_ADDRESS_LAYOUT_H_
#define STOWAGE_POLICIES_LAYOUT_ADDRESS_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/layout/layout_item.h"
#include "policies/plan/cancellation.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

// The work that is most often enough, in a few milliseconds.
inline constexpr int64_t kRepairWork = 30'000;

// Returns `size_bytes` rounded up to kPlacementAlignmentBytes.
constexpr int64_t RoundUpToPlacement(int64_t size_bytes) {
  return (size_bytes + kPlacementAlignmentBytes - 1) /
         kPlacementAlignmentBytes * kPlacementAlignmentBytes;
}

// Returns offsets parallel to `items`, or nullopt if none of the orders of
// placement that are tried fits into `capacity_bytes`. Makes a bounded number
// of passes, each as long as skyline.h says.
std::optional<std::vector<int64_t>> LayOut(
    const std::vector<LayoutItem>& items, int64_t capacity_bytes,
    const Cancellation& cancellation = {});

// Works like LayOut, but leaves out items for which it finds no place: their
// offset is -1. `repair_work` is as in RepairLayout.
std::vector<int64_t> LayOutMost(const std::vector<LayoutItem>& items,
                                int64_t capacity_bytes,
                                int64_t repair_work = kRepairWork,
                                const Cancellation& cancellation = {});

// Works like LayOutMost, in the first order alone: LayOut places the other
// items if no more is asked for. A capacity of 0 is unlimited.
std::vector<int64_t> LayOutWhatFits(const std::vector<LayoutItem>& items,
                                    int64_t capacity_bytes,
                                    const Cancellation& cancellation = {});

// Returns the least capacity that LayOut finds for `items` without repairs.
int64_t LayoutPeakBytes(const std::vector<LayoutItem>& items);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_LAYOUT_ADDRESS_LAYOUT_H_
