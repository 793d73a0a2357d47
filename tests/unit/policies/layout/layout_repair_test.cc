#include "policies/layout/layout_repair.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/layout/address_layout.h"
#include "tests/unit/policies/layout/layout_items.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;

LayoutItem Item(int64_t pages, KernelIndex begin, KernelIndex end) {
  return {4096 * pages, {Span{begin, end}, Span{}}};
}

TEST(LayoutRepairTest, MovesWhatIsInTheWay) {
  const std::vector<LayoutItem> items = {Item(1, 0, 4), Item(2, 0, 4)};
  std::vector<int64_t> offsets = {4096, -1};
  RepairLayout(items, 3 * 4096, 1000, offsets);
  EXPECT_THAT(offsets, ElementsAre(8192, 0));
}

TEST(LayoutRepairTest, LeavesWhatHasItsPlaceAlone) {
  const std::vector<LayoutItem> items = {Item(1, 0, 4), Item(1, 0, 4)};
  std::vector<int64_t> offsets = {8192, 0};
  RepairLayout(items, 1 << 20, 1000, offsets);
  EXPECT_THAT(offsets, ElementsAre(8192, 0));
}

TEST(LayoutRepairTest, LeavesOutLessThanBeforeAndNothingOverlaps) {
  int repaired = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<LayoutItem> items = RandomItems(seed);
    const int64_t capacity = 19 * LayoutPeakBytes(items) / 20;
    const auto left_out = [&](const std::vector<int64_t>& offsets) {
      int64_t bytes = 0;
      for (size_t i = 0; i < items.size(); ++i) {
        if (offsets[i] < 0) bytes += items[i].size_bytes;
      }
      return bytes;
    };
    std::vector<int64_t> offsets = LayOutWhatFits(items, capacity);
    const int64_t before = left_out(offsets);
    RepairLayout(items, capacity, 20'000, offsets);
    EXPECT_LE(left_out(offsets), before);
    repaired += before > 0 && left_out(offsets) == 0 ? 1 : 0;
    for (size_t i = 0; i < items.size(); ++i) {
      if (offsets[i] < 0) continue;
      EXPECT_EQ(offsets[i] % 4096, 0);
      EXPECT_LE(offsets[i] + items[i].size_bytes, capacity);
      for (size_t j = 0; j < i; ++j) {
        if (offsets[j] < 0 || !Coexist(items[i], items[j])) continue;
        const bool apart = offsets[i] + items[i].size_bytes <= offsets[j] ||
                           offsets[j] + items[j].size_bytes <= offsets[i];
        EXPECT_TRUE(apart) << seed << ": " << i << " and " << j;
      }
    }
  }
  EXPECT_GT(repaired, 10);
}

TEST(LayoutRepairTest, EndsWhereNothingCanFit) {
  const std::vector<LayoutItem> items = {Item(3, 0, 4), Item(1, 0, 4)};
  std::vector<int64_t> offsets = {-1, -1};
  RepairLayout(items, 2 * 4096, 1000, offsets);
  EXPECT_THAT(offsets, ElementsAre(-1, 0));
}

}  // namespace
}  // namespace stowage::policies
