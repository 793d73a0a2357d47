#include "client_sdk/session/lane_time.h"

#include "gtest/gtest.h"

namespace stowage::session {
namespace {

class LaneTimeTest : public testing::Test {
 protected:
  MoveLane lane_{};
};

TEST_F(LaneTimeTest, AnIdleLaneHasCopiedWhatItCopied) {
  EXPECT_EQ(CopiedNs(lane_, 1000), 0);
  BeginCopying(lane_, 1000);
  EndCopying(lane_, 1300);
  BeginCopying(lane_, 2000);
  EndCopying(lane_, 2050);
  EXPECT_EQ(CopiedNs(lane_, 9000), 350);
}

TEST_F(LaneTimeTest, ACopyUnderWayCountsUntilNow) {
  BeginCopying(lane_, 1000);
  EXPECT_EQ(CopiedNs(lane_, 1100), 100);
  EXPECT_EQ(CopiedNs(lane_, 1200), 200);
  EXPECT_EQ(CopiedNs(lane_, 900), 0);
}

TEST_F(LaneTimeTest, AnEndWithoutABeginningCountsNothing) {
  EndCopying(lane_, 1300);
  EXPECT_EQ(CopiedNs(lane_, 2000), 0);
}

}  // namespace
}  // namespace stowage::session
