#include "server/retention/victims.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<KeptItem> ThreeItems() {
  return {{.id = "new", .size_bytes = 10, .used_at_ms = 3},
          {.id = "old", .size_bytes = 20, .used_at_ms = 1},
          {.id = "middle", .size_bytes = 30, .used_at_ms = 2}};
}

TEST(VictimsTest, NothingGoesWithinTheBounds) {
  EXPECT_THAT(VictimsOf(ThreeItems(), {.rows = 3, .size_bytes = 60}),
              IsEmpty());
}

TEST(VictimsTest, TheOnesUsedLongestAgoGo) {
  EXPECT_THAT(VictimsOf(ThreeItems(), {.rows = 2, .size_bytes = 60}),
              ElementsAre("old"));
  EXPECT_THAT(VictimsOf(ThreeItems(), {.rows = 3, .size_bytes = 39}),
              ElementsAre("old", "middle"));
}

TEST(VictimsTest, ProtectedItemsCountAndStay) {
  std::vector<KeptItem> items = ThreeItems();
  items[1].is_protected = true;
  EXPECT_THAT(VictimsOf(items, {.rows = 2, .size_bytes = 60}),
              ElementsAre("middle"));
  EXPECT_THAT(VictimsOf(items, {.rows = 0, .size_bytes = 0}),
              ElementsAre("middle", "new"));
}

}  // namespace
}  // namespace stowage
