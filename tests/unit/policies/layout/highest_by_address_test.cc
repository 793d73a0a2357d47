#include "policies/layout/highest_by_address.h"

#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

TEST(HighestByAddressTest, IsInitialWhereNothingWasRaised) {
  HighestByAddress values(10, -3);
  values.Raise({2, 5}, 7);
  EXPECT_EQ(values.Highest({0, 2}), -3);
  EXPECT_EQ(values.Highest({5, 9}), -3);
  EXPECT_EQ(values.Highest({4, 9}), 7);
  EXPECT_EQ(values.Highest({3, 3}), -3);
}

TEST(HighestByAddressTest, AgreesWithAnArray) {
  std::mt19937 random(1);
  for (const int bounds : {1, 2, 5, 8, 31}) {
    HighestByAddress values(bounds, 0);
    std::vector<KernelIndex> array(bounds);
    for (int n = 0; n < 300; ++n) {
      const int begin = static_cast<int>(random() % bounds);
      const int end = begin + static_cast<int>(random() % (bounds - begin));
      const auto value = static_cast<KernelIndex>(random() % 1000);
      values.Raise({begin, end}, value);
      for (int i = begin; i < end; ++i) array[i] = std::max(array[i], value);
      const int from = static_cast<int>(random() % bounds);
      const auto highest = std::max_element(array.begin() + from, array.end());
      EXPECT_EQ(values.Highest({from, bounds}), *highest);
    }
  }
}

}  // namespace
}  // namespace stowage::policies
