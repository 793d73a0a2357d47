#include "policies/search/absences/rank_set.h"

#include <iterator>
#include <random>
#include <set>

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

TEST(RankSetTest, AgreesWithASet) {
  constexpr int kCount = 10'000;
  std::mt19937_64 engine(1);
  RankSet ranks(kCount);
  std::set<int> set;
  for (int round = 0; round < 20'000; ++round) {
    const int rank = static_cast<int>(engine() % 300 * 33 % kCount);
    if (engine() % 3 == 0) {
      ranks.Insert(rank);
      set.insert(rank);
    } else {
      ranks.Erase(rank);
      set.erase(rank);
    }
    const int below = static_cast<int>(engine() % (kCount + 1));
    const auto at = set.lower_bound(below);
    ASSERT_EQ(ranks.Below(below), at == set.begin() ? -1 : *std::prev(at));
  }
}

TEST(RankSetTest, HasNothingBelowItsLowestRank) {
  RankSet ranks(5000);
  EXPECT_EQ(ranks.Below(5000), -1);
  ranks.Insert(4999);
  EXPECT_EQ(ranks.Below(5000), 4999);
  EXPECT_EQ(ranks.Below(4999), -1);
}

}  // namespace
}  // namespace stowage::policies
