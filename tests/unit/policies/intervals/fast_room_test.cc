#include "policies/intervals/fast_room.h"

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

TEST(FastRoomTest, FitsWhatIsLeftOfTheBudgetAtEveryBoundary) {
  FastRoom room(4, 10);
  room.Hold(1, 3, 6);
  EXPECT_TRUE(room.Fits(0, 4, 4));
  EXPECT_FALSE(room.Fits(0, 2, 5));
  EXPECT_TRUE(room.Fits(3, 4, 10));
}

TEST(FastRoomTest, TellsHowFarItFitsFromEitherSide) {
  FastRoom room(6, 10);
  room.Hold(2, 4, 6);
  EXPECT_EQ(room.FitsUntil(0, 6, 5), 2);
  EXPECT_EQ(room.FitsFrom(0, 6, 5), 4);
  EXPECT_EQ(room.FitsUntil(0, 6, 4), 6);
  EXPECT_EQ(room.FitsFrom(0, 6, 4), 0);
}

TEST(FastRoomTest, KeepsReservedRoomFree) {
  FastRoom room(2, 10);
  room.Reserve(1, 8);
  EXPECT_TRUE(room.Fits(0, 1, 3));
  EXPECT_FALSE(room.Fits(1, 2, 3));
  EXPECT_EQ(room.held_bytes(1), 0);
}

}  // namespace
}  // namespace stowage::policies
