#include "policies/aggregation/hole_layout.h"

#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

LayoutItem Item(int64_t pages, KernelIndex begin, KernelIndex end,
                bool early = false) {
  return {pages * kPage, {Span{begin, end}, Span{}}, early};
}

TEST(HoleLayoutTest, FillsTheLowestHoleThatIsLargeEnough) {
  const std::vector<LayoutItem> items = {Item(1, 0, 9), Item(1, 0, 9),
                                         Item(1, 0, 9), Item(2, 0, 9)};
  EXPECT_THAT(
      LayOutInHoles(items, {0, 2 * kPage, 5 * kPage, kNoAddress}, 9 * kPage),
      Optional(ElementsAre(0, 2 * kPage, 5 * kPage, 3 * kPage)));
}

TEST(HoleLayoutTest, SharesAddressesWithWhatIsThereAtOtherTimes) {
  const std::vector<LayoutItem> items = {Item(4, 0, 5), Item(2, 5, 9),
                                         Item(2, 4, 6)};
  EXPECT_THAT(LayOutInHoles(items, {0, kNoAddress, kNoAddress}, 9 * kPage),
              Optional(ElementsAre(0, 0, 4 * kPage)));
}

TEST(HoleLayoutTest, HeedsBothSpansOfAnItem) {
  LayoutItem twice = Item(1, 0, 2);
  twice.spans[1] = {7, 9};
  const std::vector<LayoutItem> items = {twice, Item(1, 3, 6), Item(1, 8, 9)};
  EXPECT_THAT(LayOutInHoles(items, {0, kNoAddress, kNoAddress}, 9 * kPage),
              Optional(ElementsAre(0, 0, kPage)));
}

TEST(HoleLayoutTest, PlacesEarlyItemsFirstAndThenTheLargest) {
  const std::vector<LayoutItem> items = {Item(1, 0, 9), Item(3, 0, 9),
                                         Item(1, 0, 9, /*early=*/true)};
  EXPECT_THAT(
      LayOutInHoles(items, {kNoAddress, kNoAddress, kNoAddress}, 5 * kPage),
      Optional(ElementsAre(4 * kPage, kPage, 0)));
}

TEST(HoleLayoutTest, SaysWhenAnItemFindsNoPlace) {
  const std::vector<LayoutItem> items = {Item(1, 0, 9), Item(2, 0, 9)};
  EXPECT_EQ(LayOutInHoles(items, {kPage, kNoAddress}, 3 * kPage), std::nullopt);
  EXPECT_NE(LayOutInHoles(items, {kPage, kNoAddress}, 4 * kPage), std::nullopt);
}

}  // namespace
}  // namespace stowage::policies
