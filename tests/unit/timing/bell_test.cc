#include "timing/bell.h"

#include <thread>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

TEST(BellTest, AWaitEndsWhenItRings) {
  Bell bell;
  std::thread rings([&] { bell.Ring(); });
  EXPECT_TRUE(bell.AwaitFor(absl::InfiniteDuration()));
  EXPECT_TRUE(bell.HasRung());
  rings.join();
}

TEST(BellTest, AWaitEndsWhenItsTimeHasPassed) {
  Bell bell;
  const absl::Time begin = SteadyNow();
  EXPECT_FALSE(bell.AwaitFor(absl::Milliseconds(20)));
  EXPECT_GE(SteadyNow() - begin, absl::Milliseconds(20));
  EXPECT_FALSE(bell.HasRung());
}

TEST(BellTest, NobodyWaitsForARingThatHasBeen) {
  Bell bell;
  bell.Ring();
  EXPECT_TRUE(bell.AwaitFor(absl::ZeroDuration()));
  EXPECT_TRUE(bell.AwaitFor(-absl::InfiniteDuration()));
}

TEST(BellTest, ARingThatHasBeenHeardDoesNotEndAWait) {
  Bell bell;
  bell.Ring();
  EXPECT_FALSE(bell.AwaitFor(absl::Milliseconds(1), bell.rings()));
  bell.Ring();
  EXPECT_TRUE(bell.AwaitFor(absl::InfiniteDuration(), /*heard=*/1));
}

}  // namespace
}  // namespace stowage
