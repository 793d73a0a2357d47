#include "policies/bound/copy_charge.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

TEST(CopyChargeTest, TakesTheCheapestMomentsForAsLongAsTheyLast) {
  CopyCharge charge(10);
  charge.Add(3, 100);
  charge.Add(1, 4);
  charge.Add(2, 5);
  EXPECT_DOUBLE_EQ(charge.cost(), 1 * 4 + 2 * 5 + 3 * 1);
  EXPECT_EQ(charge.highest_price(), 3);
}

TEST(CopyChargeTest, IsInfiniteWhileMomentsAreTooShort) {
  CopyCharge charge(10);
  charge.Add(0, 9);
  EXPECT_FALSE(charge.complete());
  charge.Add(0, 1);
  EXPECT_EQ(charge.cost(), 0);
}

double Greedy(std::vector<std::pair<double, double>> moments, double copy_ns) {
  std::sort(moments.begin(), moments.end());
  double cost = 0;
  for (const auto& [price, most_ns] : moments) {
    const double ns = std::min(copy_ns, most_ns);
    cost += price * ns;
    copy_ns -= ns;
  }
  return cost;
}

TEST(CopyChargeTest, IsTheLeastCostInWhateverOrderMomentsCome) {
  std::mt19937_64 engine(7);
  for (int round = 0; round < 200; ++round) {
    CopyCharge charge(50);
    std::vector<std::pair<double, double>> moments = {{9, 1e9}};
    for (int i = 0; i < 20; ++i) {
      moments.emplace_back(engine() % 8, engine() % 9);
    }
    std::shuffle(moments.begin(), moments.end(), engine);
    for (const auto& [price, most_ns] : moments) charge.Add(price, most_ns);
    EXPECT_NEAR(charge.cost(), Greedy(moments, 50), 1e-9);
  }
}

TEST(CopyChargeTest, StaysBelowWhereThereAreManyPrices) {
  CopyCharge charge(1000);
  std::vector<std::pair<double, double>> moments;
  moments.reserve(1000);
  for (int i = 0; i < 1000; ++i) moments.emplace_back(i + 1, 1);
  for (const auto& [price, most_ns] : moments) charge.Add(price, most_ns);
  EXPECT_TRUE(charge.complete());
  EXPECT_LT(charge.cost(), Greedy(moments, 1000));
  EXPECT_GT(charge.cost(), 1000);
}

}  // namespace
}  // namespace stowage::policies
