// Describes what an address layout places.
//
//   LayoutItem item{.size_bytes = 8192, .spans = {{Span{0, 4}}}};
#ifndef STOWAGE_POLICIES_LAYOUT_LAYOUT_ITEM_H_
#define STOWAGE_POLICIES_LAYOUT_LAYOUT_ITEM_H_

#include <array>
#include <cstdint>

#include "policies/model/graph.h"

namespace stowage::policies {

// Spans boundaries begin .. end-1; empty if end <= begin.
struct Span {
  KernelIndex begin = 0;
  KernelIndex end = 0;
};

// Describes one contiguous place, held during one span, or during two that have
// to be at the same offset (a tensor that is alive across the end of the step).
struct LayoutItem {
  int64_t size_bytes = 0;  // a multiple of kPlacementAlignmentBytes
  std::array<Span, 2> spans;
  bool early = false;  // placed before all items that are not
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_LAYOUT_LAYOUT_ITEM_H_
