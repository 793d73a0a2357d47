#include "agents/engine/trial_copies.h"

#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

TEST(TrialCopiesTest, RoundsToTwoDigits) {
  EXPECT_EQ(RoundToTwoDigits(0), 0);
  EXPECT_EQ(RoundToTwoDigits(7), 7);
  EXPECT_EQ(RoundToTwoDigits(99), 99);
  EXPECT_EQ(RoundToTwoDigits(1249), 1200);
  EXPECT_EQ(RoundToTwoDigits(1250), 1300);
  EXPECT_EQ(RoundToTwoDigits(19'870'000'000), 20'000'000'000);
}

TEST(TrialCopiesTest, BandwidthIsAtLeastAByteASecond) {
  EXPECT_EQ(BytesPerSecond(4096, 1'000), 4'100'000'000);
  EXPECT_EQ(BytesPerSecond(1, 5'000'000'000), 1);
}

}  // namespace
}  // namespace stowage::agent
