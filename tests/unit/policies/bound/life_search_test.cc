#include "policies/bound/life_search.h"

#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

constexpr int kKernels = 3;

// Returns the timeline of three kernels of 10 ns, each a slice of its own.
BoundTimeline Timeline() {
  BoundTimeline timeline;
  for (int k = 0; k <= kKernels; ++k) {
    timeline.slice.push_back(k);
    timeline.block.push_back(2 * k + 1);
    timeline.wait_block.push_back(2 * k);
    timeline.priced.push_back(k);
  }
  return timeline;
}

// Lanes cost 1 while kernels run, 5 beyond their time and while they wait; room
// costs `room` at kernel 1.
class LifeSearchTest : public testing::Test {
 protected:
  LifeSearchTest() : timeline_(Timeline()), search_(timeline_, {10, 10, 10}) {
    const int slices = kKernels + 1;
    prices_.kernel.assign(2 * slices, 1);
    prices_.over_kernel.assign(2 * slices, 0);
    for (int m = 0; m < 4 * slices; ++m) {
      lane_.price.push_back(m % 2 == 0 ? 5 : 1);
      lane_.over_price.push_back(5);
    }
    GroupMoments(lane_);
    lanes_ = {lane_, lane_};
    prices_.lane = &lanes_;
    SetRoom(0);
  }

  void SetRoom(double room) {
    prices_.byte_before.assign(2 * (kKernels + 1) + 1, room);
    prices_.byte_before[0] = prices_.byte_before[1] = 0;
    prices_.room_before = &prices_.byte_before;
    prices_.bytes = 1;
  }

  // Returns a tensor that is born at kernel 0 and read at kernel 2; its copies
  // take 25 ns.
  TensorLife Life() const {
    TensorLife life{.bytes = 1, .begin = 0, .end = 2};
    life.stops = {{.kernel = 0},
                  {.kernel = 2, .slow_ns = 1000, .still = false}};
    life.out_ns = life.in_ns = {25};
    return life;
  }

  BoundTimeline timeline_;
  LifeSearch search_;
  MomentPrices lane_;
  std::vector<MomentPrices> lanes_;
  LifePrices prices_;
};

TEST_F(LifeSearchTest, StaysWhereRoomIsCheaperThanCopies) {
  SetRoom(20);
  const CheapestLife& found = search_.Find(Life(), prices_);
  EXPECT_EQ(found.cost, 20);
  EXPECT_EQ(found.fast, (std::vector<bool>{true, true}));
}

// Born slow, it is fetched beside kernel 1, which hides 10 of 25 ns.
TEST_F(LifeSearchTest, AKernelHidesNoMoreOfACopyThanItLasts) {
  SetRoom(60);
  TensorLife life = Life();
  life.stops[0].can_be_fast = false;
  const CheapestLife& found = search_.Find(life, prices_);
  EXPECT_EQ(found.cost, std::min(60 + 10 * 1 + 15 * 5, 25 * 5));
  EXPECT_TRUE(found.fast[1]);
}

TEST_F(LifeSearchTest, AKernelThatSlowOperandsProlongHidesMore) {
  lanes_[1].over_price = lanes_[1].price;
  TensorLife life = Life();
  life.stops[0].can_be_fast = false;
  EXPECT_EQ(search_.Find(life, prices_).cost, 25 * 1);
}

// Fast at 0, away while kernel 1 runs.
TEST_F(LifeSearchTest, LeavesAndReturnsWhereRoomIsDear) {
  SetRoom(1e6);
  TensorLife life = Life();
  life.stops[0].slow_ns = 1e6;
  const CheapestLife& found = search_.Find(life, prices_);
  EXPECT_EQ(found.cost, 25 * 5 + 25 * 5);
  EXPECT_EQ(found.passages[0].left, 1);
  EXPECT_EQ(found.passages[0].fetched, 2);
}

// Kernel 1 reads what is copied out since kernel 0, and hides 10 ns of it.
TEST_F(LifeSearchTest, ACopyOutMayBeginBeforeTheLastUse) {
  TensorLife life = Life();
  life.stops = {{.kernel = 0, .slow_ns = 1e6},
                {.kernel = 1, .slow_ns = 1e6, .still = false},
                {.kernel = 2, .can_be_fast = false}};
  EXPECT_EQ(search_.Find(life, prices_).cost, 10 * 1 + 15 * 5);
  life.stops[1].still = true;
  EXPECT_EQ(search_.Find(life, prices_).cost, 25 * 5);
}

// Born slow, it is fetched for kernel 1 while that waits, and cannot stay.
TEST_F(LifeSearchTest, WhatWasFetchedAndNotWrittenLeavesForFree) {
  TensorLife life = Life();
  life.stops = {{.kernel = 0, .can_be_fast = false},
                {.kernel = 1, .slow_ns = 1e6, .still = false},
                {.kernel = 2, .can_be_fast = false}};
  EXPECT_EQ(search_.Find(life, prices_).cost, 25 * 5);
  life.stops[1].still = true;
  EXPECT_EQ(search_.Find(life, prices_).cost, 2 * 25 * 5);
}

// Fast at both ends of the step, slow at kernel 1: it was fetched in the step
// before, and kernels 0 and 2 hide 10 ns of each copy.
TEST_F(LifeSearchTest, WhatWasFetchedInTheStepBeforeIsCopiedOut) {
  TensorLife life{.bytes = 1, .cyclic = true, .begin = 0, .end = kKernels};
  life.stops = {
      {.kernel = -1},
      {.kernel = 1, .can_be_fast = false},
      {.kernel = kKernels, .slow_ns = std::numeric_limits<double>::infinity()}};
  life.out_ns = life.in_ns = {25};
  const CheapestLife& found = search_.Find(life, prices_);
  EXPECT_EQ(found.cost, 2 * (10 * 1 + 15 * 5));
  EXPECT_EQ(found.fast, (std::vector<bool>{true, false, true}));
}

TEST_F(LifeSearchTest, ChargesMakeUpTheCostOfACopy) {
  for (const int begin : {0, 1, 2}) {
    for (const int end : {2, 3, 6}) {
      LifeCopy copy{0, begin, end, 0};
      for (const CopyDirection direction : {kCopyOut, kCopyIn}) {
        double ns = 0, cost = 0;
        for (const LaneCharge& charge :
             search_.Charges(copy, direction, 25, prices_)) {
          ns += charge.ns;
          cost += charge.ns * (charge.is_over ? lane_.over_price
                                              : lane_.price)[charge.moment];
        }
        const int kernels = (end + 1) / 2 - begin / 2;
        EXPECT_EQ(ns, 25);
        EXPECT_EQ(cost, 25 * 5 - 10 * 4 * std::min(kernels, 2) -
                            (kernels > 2 ? 5 * 4 : 0));
      }
    }
  }
}

}  // namespace
}  // namespace stowage::policies
