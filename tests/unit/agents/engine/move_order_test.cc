#include "agents/engine/move_order.h"

#include <cstdint>

#include "client_sdk/session/session.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

constexpr int64_t kRoomBytes = session::kPageBytes;

MoveOrder Order(int64_t from, int64_t to, int64_t size) {
  return {.from_tier = 0,
          .to_tier = 1,
          .from_offset_bytes = from,
          .to_offset_bytes = to,
          .size_bytes = size};
}

TEST(MoveOrderTest, JoinsWhatGoesOnInBothTiers) {
  const auto both = Join(Order(kRoomBytes, 9 * kRoomBytes, 2 * kRoomBytes),
                         Order(3 * kRoomBytes, 11 * kRoomBytes, kRoomBytes));
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->from_tier, 0);
  EXPECT_EQ(both->to_tier, 1);
  EXPECT_EQ(both->from_offset_bytes, kRoomBytes);
  EXPECT_EQ(both->to_offset_bytes, 9 * kRoomBytes);
  EXPECT_EQ(both->size_bytes, 3 * kRoomBytes);
}

TEST(MoveOrderTest, WhatIsJoinedIsNeededWhenTheFirstPartIs) {
  MoveOrder soon = Order(kRoomBytes, kRoomBytes, kRoomBytes);
  soon.deadline_ns = 7;
  MoveOrder later = Order(2 * kRoomBytes, 2 * kRoomBytes, kRoomBytes);
  later.deadline_ns = session::kNoDeadline;
  EXPECT_EQ(Join(soon, later)->deadline_ns, 7);
}

TEST(MoveOrderTest, DoesNotJoinWhatGoesOnInOneTierAlone) {
  const MoveOrder first = Order(0, 0, kRoomBytes);
  EXPECT_FALSE(
      Join(first, Order(kRoomBytes, 2 * kRoomBytes, kRoomBytes)).has_value());
  EXPECT_FALSE(
      Join(first, Order(2 * kRoomBytes, kRoomBytes, kRoomBytes)).has_value());
  EXPECT_FALSE(
      Join(Order(kRoomBytes, kRoomBytes, kRoomBytes), first).has_value());
}

TEST(MoveOrderTest, DoesNotJoinMovesBetweenOtherTiers) {
  MoveOrder third = Order(kRoomBytes, kRoomBytes, kRoomBytes);
  third.to_tier = 2;
  EXPECT_FALSE(Join(Order(0, 0, kRoomBytes), third).has_value());
  MoveOrder back = Order(kRoomBytes, kRoomBytes, kRoomBytes);
  std::swap(back.from_tier, back.to_tier);
  EXPECT_FALSE(Join(Order(0, 0, kRoomBytes), back).has_value());
  // Within one tier a destination may be the next one's source.
  MoveOrder within = Order(0, 4 * kRoomBytes, kRoomBytes);
  MoveOrder within_next = Order(kRoomBytes, 5 * kRoomBytes, kRoomBytes);
  within.to_tier = within_next.to_tier = 0;
  EXPECT_FALSE(Join(within, within_next).has_value());
}

TEST(MoveOrderTest, LeavesCopiesThatAreLargeEnoughAlone) {
  EXPECT_FALSE(
      Join(Order(0, 0, kRoomBytes), Order(kRoomBytes, kRoomBytes, kJoinedBytes))
          .has_value());
  EXPECT_FALSE(Join(Order(0, 0, kJoinedBytes),
                    Order(kJoinedBytes, kJoinedBytes, kRoomBytes))
                   .has_value());
}

TEST(MoveOrderTest, DoesNotHideAnOrderThatMakesNoSense) {
  const MoveOrder good = Order(0, 0, kRoomBytes);
  // Each pair goes on in both tiers, and none adds up to something wrong.
  EXPECT_FALSE(
      Join(Order(0, 0, 100), Order(100, 100, kRoomBytes - 100)).has_value());
  EXPECT_FALSE(Join(good, Order(kRoomBytes, kRoomBytes, 0)).has_value());
  EXPECT_FALSE(
      Join(good, Order(kRoomBytes, kRoomBytes, -kRoomBytes)).has_value());
  EXPECT_FALSE(
      Join(Order(-kRoomBytes, -kRoomBytes, kRoomBytes), Order(0, 0, kRoomBytes))
          .has_value());
  const int64_t top = INT64_MAX / kRoomBytes * kRoomBytes;
  EXPECT_FALSE(Join(Order(top, top, kRoomBytes), Order(top, top, kRoomBytes))
                   .has_value());
  EXPECT_FALSE(Join(Order(0, 0, top), Order(top, top, top)).has_value());
}

}  // namespace
}  // namespace stowage::agent
