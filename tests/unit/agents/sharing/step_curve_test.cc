#include "agents/sharing/step_curve.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

using ::testing::AllOf;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

auto GainIs(int64_t bytes, double ns_per_byte) {
  return AllOf(Field(&Gain::bytes, bytes),
               Field(&Gain::ns_per_byte, DoubleEq(ns_per_byte)));
}

TEST(StepCurveTest, StepsAreTakenFromTheLineBetweenPoints) {
  const StepCurve curve = {{20, 1'000}, {40, 600}};
  EXPECT_EQ(StepNsAt(curve, 20), 1'000);
  EXPECT_EQ(StepNsAt(curve, 30), 800);
  EXPECT_EQ(StepNsAt(curve, 50), 600);
  EXPECT_EQ(StepNsAt(curve, 10), 4'000);  // without a plan
  EXPECT_EQ(StepNsAt({}, 10), 0);
}

TEST(StepCurveTest, TheDearestBytesComeFirst) {
  EXPECT_THAT(GainsOf({{10, 1000}, {20, 500}, {40, 300}}, 10, 40),
              ElementsAre(GainIs(10, 50), GainIs(20, 10)));
}

TEST(StepCurveTest, ACliffIsWorthItsWholeWay) {
  // Half of the way gains nothing, so it is not offered alone.
  EXPECT_THAT(GainsOf({{10, 1000}, {20, 1000}, {30, 200}}, 10, 30),
              ElementsAre(GainIs(20, 40)));
}

TEST(StepCurveTest, BetweenPointsACurveIsStraight) {
  EXPECT_THAT(GainsOf({{10, 1000}, {30, 0}}, 15, 25),
              ElementsAre(GainIs(10, 50)));
}

TEST(StepCurveTest, BelowTheLeastLimitWithAPlanStepsAreSlow) {
  EXPECT_THAT(GainsOf({{20, 100}, {30, 90}}, 10, 30),
              ElementsAre(GainIs(10, 30), GainIs(10, 1)));
}

TEST(StepCurveTest, AboveItsEndMoreGainsNothing) {
  EXPECT_THAT(GainsOf({{10, 100}, {20, 50}}, 10, 40),
              ElementsAre(GainIs(10, 5), GainIs(20, 0)));
}

TEST(StepCurveTest, NothingIsGainedWhereThereIsNoCurveOrNoWay) {
  EXPECT_THAT(GainsOf({}, 10, 20), IsEmpty());
  EXPECT_THAT(GainsOf({{10, 100}, {20, 50}}, 20, 20), IsEmpty());
}

}  // namespace
}  // namespace stowage::agent
