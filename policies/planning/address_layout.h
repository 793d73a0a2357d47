// Static address layout: byte offsets for things whose lifetimes are known, so
// that no two that coexist overlap. This is offline dynamic storage allocation.
//
//   std::vector<LayoutItem> items = {{.size_bytes = 8192, .spans = {{0, 4}}}};
//   std::optional<std::vector<int64_t>> offsets = LayOut(items, limit_bytes);
//
// Pure functions, deterministic.
#ifndef STOWAGE_POLICIES_PLANNING_ADDRESS_LAYOUT_H_
#define STOWAGE_POLICIES_PLANNING_ADDRESS_LAYOUT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "policies/model/graph.h"

namespace stowage {

// Boundaries begin .. end-1; empty when end <= begin.
struct Span {
  KernelIndex begin = 0;
  KernelIndex end = 0;
};

// One contiguous place, held during one span, or during two that have to be at
// the same offset (what is alive across the end of the step).
struct LayoutItem {
  int64_t size_bytes = 0;  // a multiple of kPlacementAlignmentBytes
  std::array<Span, 2> spans;
  bool early = false;  // placed before all items that are not
};

// `size_bytes` rounded up to kPlacementAlignmentBytes.
int64_t RoundUpToPlacement(int64_t size_bytes);

// Offsets parallel to `items`, or nullopt when no order of placement that is
// tried fits into `capacity_bytes`. Places items by decreasing size and
// lifetime, then repairs the order within a bounded amount of work. An item is
// compared only with those that are alive about when it is.
std::optional<std::vector<int64_t>> LayOut(const std::vector<LayoutItem>& items,
                                           int64_t capacity_bytes);

// As LayOut, but leaves out what does not fit: its offset is -1. A capacity of
// 0 is unlimited.
std::vector<int64_t> LayOutWhatFits(const std::vector<LayoutItem>& items,
                                    int64_t capacity_bytes);

// The least capacity that LayOut finds for `items`.
int64_t LayoutPeakBytes(const std::vector<LayoutItem>& items);

}  // namespace stowage

#endif  // STOWAGE_POLICIES_PLANNING_ADDRESS_LAYOUT_H_
