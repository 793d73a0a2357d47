#include "policies/intervals/interval_clock.h"

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

TEST(IntervalClockTest, AWaitDelaysItsBoundaryAndAllLaterOnes) {
  IntervalClock clock({10, 10, 10, 10});
  clock.Open(2);
  clock.Wait(1, 5);
  EXPECT_EQ(clock.TimeNs(0), 0);
  EXPECT_EQ(clock.TimeNs(1), 15);
  EXPECT_EQ(clock.TimeNs(2), 25);
  EXPECT_EQ(clock.TimeNs(4), 45);
  clock.Open(4);
  clock.Wait(4, 1);
  EXPECT_EQ(clock.TimeNs(3), 35);
  EXPECT_EQ(clock.TimeNs(4), 46);
}

TEST(IntervalClockTest, FindsBoundariesByTime) {
  IntervalClock clock({10, 10, 10});
  clock.Open(3);
  EXPECT_EQ(clock.FirstAt(11, 0, 3), 2);
  EXPECT_EQ(clock.FirstAt(20, 0, 3), 2);
  EXPECT_EQ(clock.FirstAt(99, 0, 3), 3);
  EXPECT_EQ(clock.LastAt(19, 0, 3), 1);
  EXPECT_EQ(clock.LastAt(20, 0, 3), 2);
  EXPECT_EQ(clock.LastAt(-1, 1, 3), 1);
}

}  // namespace
}  // namespace stowage::policies
