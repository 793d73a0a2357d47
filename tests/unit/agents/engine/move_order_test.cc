#include "agents/engine/move_order.h"

#include <cstdint>

#include "client_sdk/session/session.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

constexpr int64_t kPage = session::kPageBytes;

MoveOrder Order(int64_t from, int64_t to, int64_t size) {
  return {.from_tier = 0,
          .to_tier = 1,
          .from_offset_bytes = from,
          .to_offset_bytes = to,
          .size_bytes = size};
}

TEST(MoveOrderTest, JoinsWhatGoesOnInBothTiers) {
  const auto both = Join(Order(kPage, 9 * kPage, 2 * kPage),
                         Order(3 * kPage, 11 * kPage, kPage));
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->from_tier, 0);
  EXPECT_EQ(both->to_tier, 1);
  EXPECT_EQ(both->from_offset_bytes, kPage);
  EXPECT_EQ(both->to_offset_bytes, 9 * kPage);
  EXPECT_EQ(both->size_bytes, 3 * kPage);
}

TEST(MoveOrderTest, DoesNotJoinWhatGoesOnInOneTierAlone) {
  const MoveOrder first = Order(0, 0, kPage);
  EXPECT_FALSE(Join(first, Order(kPage, 2 * kPage, kPage)).has_value());
  EXPECT_FALSE(Join(first, Order(2 * kPage, kPage, kPage)).has_value());
  EXPECT_FALSE(Join(Order(kPage, kPage, kPage), first).has_value());
}

TEST(MoveOrderTest, DoesNotJoinMovesBetweenOtherTiers) {
  MoveOrder third = Order(kPage, kPage, kPage);
  third.to_tier = 2;
  EXPECT_FALSE(Join(Order(0, 0, kPage), third).has_value());
  MoveOrder back = Order(kPage, kPage, kPage);
  std::swap(back.from_tier, back.to_tier);
  EXPECT_FALSE(Join(Order(0, 0, kPage), back).has_value());
  // Within one tier a destination may be the next one's source.
  MoveOrder within = Order(0, 4 * kPage, kPage);
  MoveOrder within_next = Order(kPage, 5 * kPage, kPage);
  within.to_tier = within_next.to_tier = 0;
  EXPECT_FALSE(Join(within, within_next).has_value());
}

TEST(MoveOrderTest, LeavesCopiesThatAreLargeEnoughAlone) {
  EXPECT_FALSE(
      Join(Order(0, 0, kPage), Order(kPage, kPage, kJoinedBytes)).has_value());
  EXPECT_FALSE(
      Join(Order(0, 0, kJoinedBytes), Order(kJoinedBytes, kJoinedBytes, kPage))
          .has_value());
}

TEST(MoveOrderTest, DoesNotHideAnOrderThatMakesNoSense) {
  const MoveOrder good = Order(0, 0, kPage);
  // Each pair goes on in both tiers, and none adds up to something wrong.
  EXPECT_FALSE(
      Join(Order(0, 0, 100), Order(100, 100, kPage - 100)).has_value());
  EXPECT_FALSE(Join(good, Order(kPage, kPage, 0)).has_value());
  EXPECT_FALSE(Join(good, Order(kPage, kPage, -kPage)).has_value());
  EXPECT_FALSE(
      Join(Order(-kPage, -kPage, kPage), Order(0, 0, kPage)).has_value());
  const int64_t top = INT64_MAX / kPage * kPage;
  EXPECT_FALSE(
      Join(Order(top, top, kPage), Order(top, top, kPage)).has_value());
  EXPECT_FALSE(Join(Order(0, 0, top), Order(top, top, top)).has_value());
}

}  // namespace
}  // namespace stowage::agent
