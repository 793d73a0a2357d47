#include "agents/jobs/records/limit_orders.h"

#include "gtest/gtest.h"
#include "tests/unit/agents/sizes.h"

namespace stowage::agent {
namespace {

class LimitOrdersTest : public testing::Test {
 protected:
  void Answer(int64_t refused_below_bytes) {
    area_.refused_below_bytes = refused_below_bytes;
    area_.taken = area_.ordered.load();
    orders_.Poll();
  }
  LimitOutcome::State StateOf(uint64_t number) const {
    return orders_.OutcomeOf(number).state;
  }

  session::LimitArea area_{};
  LimitOrders orders_{&area_, {.limit_bytes = 9 * kMiB}};
};

TEST_F(LimitOrdersTest, AnOrderIsAwaitedUntilTheJobHasAnswered) {
  const uint64_t number = orders_.SetLimit({.bytes = 5 * kMiB});
  EXPECT_EQ(area_.ordered, 0u);  // until it is polled
  orders_.Poll();
  EXPECT_EQ(area_.ordered, 1u);
  EXPECT_EQ(area_.order, (session::LimitOrder{.limit_bytes = 5 * kMiB}));
  EXPECT_EQ(StateOf(number), LimitOutcome::kAwaited);
  Answer(session::kLimitObeyed);
  EXPECT_EQ(StateOf(number), LimitOutcome::kObeyed);
  EXPECT_EQ(orders_.in_force().limit_bytes, 5 * kMiB);
}

TEST_F(LimitOrdersTest, ARefusalSaysTheLeastAndTheOldLimitStays) {
  const uint64_t number = orders_.SetLimit({.fraction = 0.1});
  orders_.Poll();
  Answer(7 * kMiB);
  EXPECT_EQ(StateOf(number), LimitOutcome::kRefused);
  EXPECT_EQ(orders_.OutcomeOf(number).least_bytes, 7 * kMiB);
  EXPECT_EQ(orders_.in_force().limit_bytes, 9 * kMiB);
  // It is not ordered again along with something else.
  orders_.SetMost(8 * kMiB);
  orders_.Poll();
  EXPECT_EQ(area_.order, (session::LimitOrder{.limit_bytes = 9 * kMiB,
                                              .most_bytes = 8 * kMiB}));
}

TEST_F(LimitOrdersTest, WhatIsSetMeanwhileGoesOutAsOneOrder) {
  const uint64_t first = orders_.SetLimit({.bytes = 5 * kMiB});
  orders_.Poll();
  const uint64_t second = orders_.SetLimit({.bytes = 6 * kMiB});
  const uint64_t third = orders_.SetMost(4 * kMiB);
  orders_.Poll();
  EXPECT_EQ(area_.ordered, 1u);
  EXPECT_EQ(area_.order.limit_bytes, 5 * kMiB);
  Answer(session::kLimitObeyed);
  EXPECT_EQ(area_.ordered, 2u);
  EXPECT_EQ(area_.order, (session::LimitOrder{.limit_bytes = 6 * kMiB,
                                              .most_bytes = 4 * kMiB}));
  EXPECT_EQ(StateOf(first), LimitOutcome::kObeyed);
  EXPECT_EQ(StateOf(second), LimitOutcome::kAwaited);
  Answer(session::kLimitObeyed);
  EXPECT_EQ(StateOf(second), LimitOutcome::kObeyed);
  EXPECT_EQ(StateOf(third), LimitOutcome::kObeyed);
}

TEST_F(LimitOrdersTest, TheLimitThatIsInForceNeedsNoOrder) {
  const uint64_t number = orders_.SetLimit({.bytes = 9 * kMiB});
  orders_.Poll();
  EXPECT_EQ(area_.ordered, 0u);
  EXPECT_EQ(StateOf(number), LimitOutcome::kObeyed);
}

TEST_F(LimitOrdersTest, AJobThatEndsHasNotObeyed) {
  const uint64_t number = orders_.SetLimit({.bytes = 5 * kMiB});
  orders_.Poll();
  orders_.End();
  EXPECT_EQ(StateOf(number), LimitOutcome::kEnded);
  orders_.Poll();  // touches nothing
}

TEST_F(LimitOrdersTest, CountsGoOnWhereAnotherAgentLeftThem) {
  area_.ordered = area_.taken = 40;
  LimitOrders orders(&area_, {});
  orders.SetLimit({.bytes = 5 * kMiB});
  orders.Poll();
  EXPECT_EQ(area_.ordered, 41u);
}

TEST_F(LimitOrdersTest, NoiseInTheAreaIsNoAnswer) {
  const uint64_t number = orders_.SetLimit({.bytes = 5 * kMiB});
  orders_.Poll();
  area_.ordered = 1000;
  area_.taken = 12345;
  orders_.Poll();
  EXPECT_EQ(StateOf(number), LimitOutcome::kAwaited);
}

}  // namespace
}  // namespace stowage::agent
