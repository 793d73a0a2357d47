#include "policies/bound/life_prices.h"

#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

MomentPrices RandomLane(int moments, std::mt19937_64& engine) {
  MomentPrices lane;
  for (int m = 0; m < moments; ++m) {
    lane.price.push_back(static_cast<double>(engine() % 50));
  }
  GroupMoments(lane);
  return lane;
}

TEST(LifePricesTest, FindsMomentsBelowAPriceAsLookingAtEachDoes) {
  std::mt19937_64 engine(3);
  for (int round = 0; round < 2000; ++round) {
    const MomentPrices lane = RandomLane(70, engine);
    const int begin = static_cast<int>(engine() % 70);
    const int end = begin + static_cast<int>(engine() % (71 - begin));
    const double limit = static_cast<double>(engine() % 5);
    int first = begin, last = end - 1;
    while (first < end && lane.price[first] >= limit) ++first;
    while (last >= begin && lane.price[last] >= limit) --last;
    EXPECT_EQ(FirstBelow(lane, limit, begin, end), first);
    EXPECT_EQ(LastBelow(lane, limit, begin, end), last);
  }
}

TEST(LifePricesTest, RoomCostsItsPriceWhileItIsHeld) {
  const std::vector<double> room_before = {0, 1, 3, 7};
  LifePrices prices;
  prices.room_before = &room_before;
  prices.room_factor = 2;
  EXPECT_EQ(prices.Room(1, 3), 12);
  EXPECT_EQ(prices.Room(2, 2), 0);
}

}  // namespace
}  // namespace stowage::policies
