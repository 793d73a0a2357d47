#include "policies/layout/address_layout.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/layout/layout_items.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;

TEST(AddressLayoutTest, RoundsSizesUpToAPage) {
  EXPECT_EQ(RoundUpToPlacement(1), 4096);
  EXPECT_EQ(RoundUpToPlacement(4096), 4096);
  EXPECT_EQ(RoundUpToPlacement(4097), 8192);
}

TEST(AddressLayoutTest, ReusesRoomAtTheBoundaryWhereItBecomesFree) {
  const std::vector<LayoutItem> items = {{8192, {Span{0, 3}, Span{}}},
                                         {8192, {Span{3, 5}, Span{}}}};
  const auto offsets = LayOut(items, 8192);
  ASSERT_TRUE(offsets.has_value());
  EXPECT_THAT(*offsets, ElementsAre(0, 0));
}

TEST(AddressLayoutTest, SaysWhenThingsDoNotFit) {
  const std::vector<LayoutItem> items = {{8192, {Span{0, 3}, Span{}}},
                                         {4096, {Span{2, 5}, Span{}}}};
  EXPECT_FALSE(LayOut(items, 8192).has_value());
  EXPECT_TRUE(LayOut(items, 12288).has_value());
  EXPECT_EQ(LayoutPeakBytes(items), 12288);
}

TEST(AddressLayoutTest, CoexistingItemsNeverOverlap) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const std::vector<LayoutItem> items = RandomItems(seed);
    const int64_t peak = LayoutPeakBytes(items);
    const auto offsets = LayOut(items, peak);
    ASSERT_TRUE(offsets.has_value()) << seed;
    for (size_t i = 0; i < items.size(); ++i) {
      EXPECT_EQ((*offsets)[i] % 4096, 0);
      EXPECT_LE((*offsets)[i] + items[i].size_bytes, peak);
      for (size_t j = 0; j < i; ++j) {
        if (!Coexist(items[i], items[j])) continue;
        const bool apart =
            (*offsets)[i] + items[i].size_bytes <= (*offsets)[j] ||
            (*offsets)[j] + items[j].size_bytes <= (*offsets)[i];
        EXPECT_TRUE(apart) << seed << ": " << i << " and " << j;
      }
    }
  }
}

TEST(AddressLayoutTest, LeavesOutWhatDoesNotFit) {
  const std::vector<LayoutItem> items = {{8192, {Span{0, 3}, Span{}}},
                                         {4096, {Span{2, 5}, Span{}}},
                                         {4096, {Span{4, 6}, Span{}}}};
  EXPECT_THAT(LayOutWhatFits(items, 8192), ElementsAre(0, -1, 0));
  EXPECT_THAT(LayOutWhatFits(items, 0), ElementsAre(0, 8192, 0));
}

TEST(AddressLayoutTest, PlacesEarlyItemsFirst) {
  std::vector<LayoutItem> items = {{8192, {Span{0, 3}, Span{}}},
                                   {4096, {Span{0, 9}, Span{}}}};
  items[1].early = true;
  EXPECT_THAT(*LayOut(items, 1 << 20), ElementsAre(4096, 0));
}

}  // namespace
}  // namespace stowage::policies
