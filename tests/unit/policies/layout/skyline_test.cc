#include "policies/layout/skyline.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/layout/layout_items.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kUnlimited = int64_t{1} << 60;
constexpr KernelIndex kStep = 40;

std::vector<LayoutItem> RandomItems(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<LayoutItem> items;
  const size_t count = 1 + random() % 80;
  for (size_t i = 0; i < count; ++i) {
    const auto begin = static_cast<KernelIndex>(random() % (kStep - 1));
    const auto length = static_cast<KernelIndex>(1 + random() % 12);
    LayoutItem item{static_cast<int64_t>(1 + random() % 9),
                    {Span{begin, std::min(begin + length, kStep)}, Span{}}};
    if (random() % 5 == 0) {
      item.spans = {Span{0, length}, Span{std::max(begin, length), kStep}};
    }
    item.early = random() % 10 == 0;
    items.push_back(item);
  }
  return items;
}

std::vector<int64_t> PackAll(const std::vector<LayoutItem>& items,
                             int64_t capacity) {
  std::vector<int> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  return Skyline(items).Pack(order, capacity);
}

TEST(SkylineTest, PlacesWhatCoexistsApart) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const std::vector<LayoutItem> items = RandomItems(seed);
    const std::vector<int64_t> offsets = PackAll(items, kUnlimited);
    for (size_t i = 0; i < items.size(); ++i) {
      ASSERT_GE(offsets[i], 0) << seed;
      for (size_t j = 0; j < i; ++j) {
        if (!Coexist(items[i], items[j])) continue;
        EXPECT_TRUE(offsets[i] + items[i].size_bytes <= offsets[j] ||
                    offsets[j] + items[j].size_bytes <= offsets[i])
            << seed << ": " << i << " and " << j;
      }
    }
  }
}

TEST(SkylineTest, LeavesOutOnlyWhatEndsAboveTheCapacity) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<LayoutItem> items = RandomItems(seed);
    const std::vector<int64_t> all = PackAll(items, kUnlimited);
    int64_t peak = 0;
    for (size_t i = 0; i < items.size(); ++i) {
      peak = std::max(peak, all[i] + items[i].size_bytes);
    }
    EXPECT_EQ(PackAll(items, peak), all);
    const std::vector<int64_t> fewer = PackAll(items, peak - 1);
    EXPECT_THAT(fewer, testing::Contains(-1));
    for (size_t i = 0; i < items.size(); ++i) {
      EXPECT_LE(fewer[i] + items[i].size_bytes,
                std::max(peak - 1, items[i].size_bytes - 1));
    }
  }
}

TEST(SkylineTest, PutsTheNextItemInTheLowestLineThatSpansItsLife) {
  const std::vector<LayoutItem> items = {{5, {Span{0, 4}, Span{}}},
                                         {3, {Span{6, 9}, Span{}}},
                                         {1, {Span{3, 7}, Span{}}},
                                         {2, {Span{4, 6}, Span{}}}};
  EXPECT_THAT(PackAll(items, kUnlimited), ElementsAre(0, 0, 5, 0));
}

TEST(SkylineTest, GivesWhatIsAliveAcrossTheEndOfTheStepOnePlace) {
  const std::vector<LayoutItem> items = {{4, {Span{0, 2}, Span{8, 10}}},
                                         {3, {Span{2, 8}, Span{}}},
                                         {1, {Span{1, 3}, Span{}}},
                                         {1, {Span{9, 10}, Span{}}}};
  EXPECT_THAT(PackAll(items, kUnlimited), ElementsAre(0, 0, 4, 4));
}

TEST(SkylineTest, PlacesEarlyItemsBelowAllOthers) {
  std::vector<LayoutItem> items = {{2, {Span{0, 4}, Span{}}},
                                   {1, {Span{0, 9}, Span{}}}};
  items[1].early = true;
  EXPECT_THAT(PackAll(items, kUnlimited), ElementsAre(1, 0));
}

}  // namespace
}  // namespace stowage::policies
