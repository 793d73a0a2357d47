#include "client_sdk/preload/slow_ranges.h"

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/preload/slow_memory.h"

namespace stowage::preload {
namespace {

TEST(SlowRangesTest, KnowsWhatOverlapsARangeByOneByte) {
  // The range is the test's own, so its ends are known.
  static char memory[100];
  stowage_add_slow_range(memory + 10, 20);
  EXPECT_FALSE(TouchesSlowRange(memory, 10));
  EXPECT_TRUE(TouchesSlowRange(memory, 11));
  EXPECT_TRUE(TouchesSlowRange(memory + 29, 1));
  EXPECT_FALSE(TouchesSlowRange(memory + 30, 1));
  EXPECT_TRUE(TouchesSlowRange(memory, 100));
}

TEST(SlowRangesTest, NoBytesTouchNothing) {
  const SlowMemory memory(kPageBytes);
  EXPECT_TRUE(TouchesSlowRange(memory.data(), 1));
  EXPECT_FALSE(TouchesSlowRange(memory.data(), 0));
}

TEST(SlowRangesTest, SizesThatWrapAroundTouchWhatLiesBehind) {
  const SlowMemory memory(kPageBytes);
  EXPECT_TRUE(TouchesSlowRange(memory.data() - 1, SIZE_MAX));
  EXPECT_TRUE(TouchesSlowRange(nullptr, SIZE_MAX));
}

}  // namespace
}  // namespace stowage::preload
