#include "policies/aggregation/gap_layout.h"

#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

constexpr int64_t kPage = 4096;

LayoutItem Item(int64_t pages, KernelIndex begin, KernelIndex end,
                bool early = false) {
  return {pages * kPage, {Span{begin, end}, Span{}}, early};
}

TEST(GapLayoutTest, FillsTheLowestGapThatIsLargeEnough) {
  const std::vector<LayoutItem> items = {Item(1, 0, 9), Item(1, 0, 9),
                                         Item(1, 0, 9), Item(2, 0, 9)};
  EXPECT_THAT(
      LayOutInGaps(items, {0, 2 * kPage, 5 * kPage, kNoAddress}, 9 * kPage),
      Optional(ElementsAre(0, 2 * kPage, 5 * kPage, 3 * kPage)));
}

TEST(GapLayoutTest, SharesAddressesWithWhatIsThereAtOtherTimes) {
  const std::vector<LayoutItem> items = {Item(4, 0, 5), Item(2, 5, 9),
                                         Item(2, 4, 6)};
  EXPECT_THAT(LayOutInGaps(items, {0, kNoAddress, kNoAddress}, 9 * kPage),
              Optional(ElementsAre(0, 0, 4 * kPage)));
}

TEST(GapLayoutTest, HeedsBothSpansOfAnItem) {
  LayoutItem twice = Item(1, 0, 2);
  twice.spans[1] = {7, 9};
  const std::vector<LayoutItem> items = {twice, Item(1, 3, 6), Item(1, 8, 9)};
  EXPECT_THAT(LayOutInGaps(items, {0, kNoAddress, kNoAddress}, 9 * kPage),
              Optional(ElementsAre(0, 0, kPage)));
}

TEST(GapLayoutTest, PlacesEarlyItemsFirstAndThenTheLargest) {
  const std::vector<LayoutItem> items = {Item(1, 0, 9), Item(3, 0, 9),
                                         Item(1, 0, 9, /*early=*/true)};
  EXPECT_THAT(
      LayOutInGaps(items, {kNoAddress, kNoAddress, kNoAddress}, 5 * kPage),
      Optional(ElementsAre(4 * kPage, kPage, 0)));
}

TEST(GapLayoutTest, SaysWhenAnItemFindsNoPlace) {
  const std::vector<LayoutItem> items = {Item(1, 0, 9), Item(2, 0, 9)};
  EXPECT_EQ(LayOutInGaps(items, {kPage, kNoAddress}, 3 * kPage), std::nullopt);
  EXPECT_NE(LayOutInGaps(items, {kPage, kNoAddress}, 4 * kPage), std::nullopt);
}

}  // namespace
}  // namespace stowage::policies
