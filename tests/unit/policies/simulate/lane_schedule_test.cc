#include "policies/simulate/lane_schedule.h"

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

TEST(LaneScheduleTest, AnIdleLaneStartsAtOnceAndEndsInTime) {
  const LaneSchedule lane;
  EXPECT_EQ(lane.EarliestStart(100, 30), 100);
  EXPECT_EQ(lane.LatestStart(100, 30), 70);
}

TEST(LaneScheduleTest, SkipsBusyTimesAndFillsGaps) {
  LaneSchedule lane;
  lane.Reserve(100, 50);
  lane.Reserve(170, 30);
  EXPECT_EQ(lane.EarliestStart(90, 10), 90);
  EXPECT_EQ(lane.EarliestStart(90, 20), 150);
  EXPECT_EQ(lane.EarliestStart(90, 21), 200);
  EXPECT_EQ(lane.EarliestStart(120, 5), 150);
  EXPECT_EQ(lane.LatestStart(200, 20), 150);
  EXPECT_EQ(lane.LatestStart(190, 21), 79);
  EXPECT_EQ(lane.LatestStart(250, 50), 200);
}

TEST(LaneScheduleTest, ANegativeLatestStartMeansThereIsNoTime) {
  LaneSchedule lane;
  lane.Reserve(0, 90);
  EXPECT_LT(lane.LatestStart(100, 20), 0);
}

TEST(LaneScheduleTest, ReleaseUndoesReserve) {
  LaneSchedule lane;
  lane.Reserve(100, 50);
  lane.Reserve(170, 30);
  lane.Reserve(150, 20);  // meets both
  EXPECT_EQ(lane.EarliestStart(100, 1), 200);
  lane.Release(170, 30);
  EXPECT_EQ(lane.EarliestStart(100, 1), 170);
  lane.Release(100, 50);
  EXPECT_EQ(lane.EarliestStart(100, 50), 100);
  EXPECT_EQ(lane.EarliestStart(100, 51), 170);
  lane.Release(150, 20);
  EXPECT_EQ(lane.EarliestStart(100, 51), 100);
}

}  // namespace
}  // namespace stowage::policies
