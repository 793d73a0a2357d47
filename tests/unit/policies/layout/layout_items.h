// Makes items for tests of address layouts, and says which of them coexist.
//
//   if (Coexist(items[i], items[j])) EXPECT_TRUE(apart);
#ifndef STOWAGE_TESTS_UNIT_POLICIES_LAYOUT_LAYOUT_ITEMS_H_
#define STOWAGE_TESTS_UNIT_POLICIES_LAYOUT_LAYOUT_ITEMS_H_

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "policies/layout/layout_item.h"

namespace stowage::policies {

// Returns whether both are alive at some time.
inline bool Coexist(const LayoutItem& a, const LayoutItem& b) {
  for (const Span& x : a.spans) {
    for (const Span& y : b.spans) {
      if (std::max(x.begin, y.begin) < std::min(x.end, y.end)) return true;
    }
  }
  return false;
}

// Returns up to 60 items, some of which are alive twice.
inline std::vector<LayoutItem> RandomItems(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<LayoutItem> items;
  const size_t count = 1 + random() % 60;
  for (size_t i = 0; i < count; ++i) {
    const auto begin = static_cast<KernelIndex>(random() % 50);
    const auto end = static_cast<KernelIndex>(begin + 1 + random() % 20);
    LayoutItem item{static_cast<int64_t>(4096 * (1 + random() % 100)),
                    {Span{begin, end}, Span{}}};
    if (random() % 4 == 0) item.spans[1] = {end + 5, end + 9};
    items.push_back(item);
  }
  return items;
}

}  // namespace stowage::policies

#endif  // STOWAGE_TESTS_UNIT_POLICIES_LAYOUT_LAYOUT_ITEMS_H_
