// What tests of address layouts ask of items.
//
//   if (Coexist(items[i], items[j])) EXPECT_TRUE(apart);
#ifndef STOWAGE_TESTS_UNIT_POLICIES_PLANNING_LAYOUT_ITEMS_H_
#define STOWAGE_TESTS_UNIT_POLICIES_PLANNING_LAYOUT_ITEMS_H_

#include <algorithm>

#include "policies/planning/layout_item.h"

namespace stowage {

// Whether both are alive at some time.
inline bool Coexist(const LayoutItem& a, const LayoutItem& b) {
  for (const Span& x : a.spans) {
    for (const Span& y : b.spans) {
      if (std::max(x.begin, y.begin) < std::min(x.end, y.end)) return true;
    }
  }
  return false;
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_UNIT_POLICIES_PLANNING_LAYOUT_ITEMS_H_
