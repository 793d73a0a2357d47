#include "policies/bound/passage_search.h"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr int kSlices = 60;

// A tensor that is written at kernel 0 and read at kernel 50, each kernel in a
// slice of its own. Prices are random, and many are 0.
class PassageSearchTest : public testing::TestWithParam<int> {
 protected:
  PassageSearchTest() : engine_(GetParam()) {
    for (int s = 0; s < kSlices; ++s) {
      slice_.push_back(s);
      fast_ns_.push_back(kInfinite);
      fast_ns_.push_back(static_cast<double>(1 + engine_() % 9));
      room_before_.push_back(
          s == 0 ? 0 : room_before_.back() + Price(3, 20) * 1e-2);
    }
    for (MomentPrices& lane : lanes_) {
      for (int m = 0; m < 2 * kSlices; ++m) {
        const double price = 1 + Price(2, 100);
        lane.price.push_back(price);
        lane.over_price.push_back(m % 2 == 0 ? price : price + Price(2, 100));
      }
      GroupMoments(lane);
    }
    prices_.lane = &lanes_;
    prices_.room_before = &room_before_;
    life_.stops = {{.kernel = 0}, {.kernel = 50}};
    life_.end = 50;
    life_.out_ns = {30, 20};
    life_.in_ns = {25, 15};
  }

  double Price(int zero_of, int most) {
    return engine_() % zero_of == 0 ? 0 : static_cast<double>(engine_() % most);
  }

  // Returns what the cheapest copy costs in the moments `begin` to `end`.
  double Copy(CopyDirection direction, int begin, int end) const {
    TierCharges charges(fast_ns_, direction);
    charges.Start(lanes_, direction == kCopyOut ? life_.out_ns : life_.in_ns);
    for (int m = begin; m <= end; ++m) charges.Add(m);
    return charges.Cheapest(begin, end).cost;
  }

  std::mt19937_64 engine_;
  std::vector<int> slice_;
  std::vector<double> fast_ns_, room_before_;
  std::vector<MomentPrices> lanes_{4};
  LifePrices prices_;
  TensorLife life_;
};

// Leaving at each slice and being fetched from each slice on is tried.
TEST_P(PassageSearchTest, FindsTheCheapestOfAllTimesToBeAway) {
  double fetching = kInfinite, leaving = kInfinite, returning = kInfinite;
  for (int f = 1; f <= 50; ++f) {
    const double in = Copy(kCopyIn, 2 * f, 100) + prices_.Room(f, 50);
    fetching = std::min(fetching, in);
    leaving = std::min(leaving, Copy(kCopyOut, 2, 2 * f) + prices_.Room(1, f));
    returning = std::min(returning, leaving + in);
  }
  PassageSearch search(slice_, fast_ns_);
  search.Start(life_, prices_);
  Passages found;
  search.Find(0, {}, found);
  EXPECT_NEAR(found.fetching.cost, fetching, 1e-9 * fetching);
  EXPECT_NEAR(found.leaving.cost, leaving, 1e-9 * leaving);
  EXPECT_NEAR(found.returning.cost, returning, 1e-9 * returning);
  EXPECT_EQ(found.staying.cost, prices_.Room(1, 50));
}

// Kernels 20 to 30 leave no room for it.
TEST_P(PassageSearchTest, IsAwayWhereTheTensorDoesNotFit) {
  life_.stops[0].leave_by = 20;
  life_.stops[0].fetch_after = 30;
  PassageSearch search(slice_, fast_ns_);
  search.Start(life_, prices_);
  Passages found;
  search.Find(0, {}, found);
  EXPECT_LE(found.leaving.left, 20);
  EXPECT_LE(found.returning.left, 20);
  EXPECT_GT(found.fetching.fetched, 30);
  EXPECT_GT(found.returning.fetched, 30);
  EXPECT_EQ(found.staying.cost, kInfinite);
}

TEST_P(PassageSearchTest, FindsWhatIsWantedAsIfAllWere) {
  PassageSearch search(slice_, fast_ns_);
  search.Start(life_, prices_);
  Passages all, fetched;
  search.Find(0, {}, all);
  search.Find(0, {.from_slow = false, .from_fast = false}, fetched);
  EXPECT_EQ(fetched.keeping.cost, all.keeping.cost);
  EXPECT_EQ(fetched.away.cost, all.away.cost);
  EXPECT_EQ(fetched.leaving.cost, kInfinite);
  EXPECT_EQ(fetched.returning.cost, kInfinite);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PassageSearchTest, testing::Range(0, 50));

}  // namespace
}  // namespace stowage::policies
