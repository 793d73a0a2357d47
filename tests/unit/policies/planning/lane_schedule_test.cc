#include "policies/planning/lane_schedule.h"

#include "gtest/gtest.h"

namespace stowage {
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
  lane.Reserve(100, 70);
  lane.Release(100, 70);
  EXPECT_EQ(lane.EarliestStart(100, 1), 150);
  lane.Release(100, 50);
  EXPECT_EQ(lane.EarliestStart(100, 1), 100);
}

}  // namespace
}  // namespace stowage
