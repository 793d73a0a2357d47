#include "policies/search/absences/occupancy.h"

#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

TEST(OccupancyTest, AgreesWithAnArray) {
  constexpr KernelIndex kCount = 37;
  std::mt19937_64 engine(1);
  Occupancy occupancy(std::vector<int64_t>(kCount, 0));
  std::vector<int64_t> array(kCount);
  for (int round = 0; round < 500; ++round) {
    const auto begin = static_cast<KernelIndex>(engine() % (2 * kCount - 1));
    const auto longest = std::min(kCount, 2 * kCount - begin);
    const auto end = begin + static_cast<KernelIndex>(engine() % (longest + 1));
    const int64_t bytes = static_cast<int64_t>(engine() % 2001) - 1000;
    occupancy.Add(begin, end, bytes);
    int64_t highest = 0;
    for (KernelIndex b = begin; b < end; ++b) {
      array[b % kCount] += bytes;
    }
    for (KernelIndex b = begin; b < end; ++b) {
      const int64_t held = array[b % kCount];
      highest = b == begin ? held : std::max(highest, held);
    }
    ASSERT_EQ(occupancy.Highest(begin, end), highest);
    const int64_t of_all = *std::max_element(array.begin(), array.end());
    ASSERT_EQ(occupancy.Highest(), of_all);
    ASSERT_EQ(array[occupancy.HighestBoundary()], of_all);
  }
}

TEST(OccupancyTest, CountsWhatLiesBehindTheEndFromTheBeginning) {
  Occupancy occupancy(std::vector<int64_t>(4, 0));
  occupancy.Add(3, 6, 10);
  EXPECT_EQ(occupancy.At(0), 10);
  EXPECT_EQ(occupancy.At(1), 10);
  EXPECT_EQ(occupancy.At(2), 0);
  EXPECT_EQ(occupancy.At(3), 10);
}

}  // namespace
}  // namespace stowage::policies
