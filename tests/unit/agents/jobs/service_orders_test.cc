#include "agents/jobs/service_orders.h"

#include <cmath>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/fake_service.h"
#include "tests/unit/agents/sizes.h"

namespace stowage::agent {
namespace {

using ::testing::HasSubstr;

class ServiceOrdersTest : public testing::Test {
 protected:
  void Order(int64_t number, int64_t limit_bytes) {
    v1::ResizeOrder order;
    order.set_job_id("job");
    order.set_number(number);
    order.set_fast_limit_bytes(limit_bytes);
    service_.Order(order);
  }
  void Tick() {
    orders_.Follow(limits_, service_);
    limits_.Poll();
  }
  void Answer(int64_t refused_below_bytes) {
    area_.refused_below_bytes = refused_below_bytes;
    area_.taken = area_.ordered.load();
    limits_.Poll();
    Tick();
  }

  FakeService service_;
  session::LimitArea area_{};
  LimitOrders limits_{&area_, {.limit_bytes = 9 * kMiB}};
  ServiceOrders orders_{"job"};
};

TEST_F(ServiceOrdersTest, OrdersTheLimitAndReportsThatTheJobObeyed) {
  Order(7, 5 * kMiB);
  Tick();
  EXPECT_EQ(area_.order.limit_bytes, 5 * kMiB);
  EXPECT_TRUE(service_.outcomes().empty());
  Answer(session::kLimitObeyed);
  ASSERT_EQ(service_.outcomes().size(), 1);
  EXPECT_EQ(service_.outcomes()[0].job_id(), "job");
  EXPECT_EQ(service_.outcomes()[0].number(), 7);
  EXPECT_EQ(service_.outcomes()[0].state(), v1::RESIZE_STATE_OBEYED);
}

TEST_F(ServiceOrdersTest, OrdersSharesAndUnlimited) {
  v1::ResizeOrder order;
  order.set_job_id("job");
  order.set_number(1);
  order.set_fast_limit_fraction(0.4);
  service_.Order(order);
  Tick();
  EXPECT_EQ(area_.order, (session::LimitOrder{.limit_fraction = 0.4}));
  Answer(session::kLimitObeyed);
  Order(2, 0);
  Tick();
  EXPECT_EQ(area_.order, session::LimitOrder{});
}

TEST_F(ServiceOrdersTest, RefusesWhatIsNoLimit) {
  const struct {
    int64_t bytes;
    double fraction;
  } cases[] = {{-1, 0},  {(int64_t{1} << 60) + 1, 0}, {0, -0.5},
               {0, 1.5}, {0, std::nan("")},           {kMiB, 0.5}};
  int64_t number = 0;
  for (const auto& test : cases) {
    v1::ResizeOrder order;
    order.set_job_id("job");
    order.set_number(++number);
    order.set_fast_limit_bytes(test.bytes);
    order.set_fast_limit_fraction(test.fraction);
    service_.Order(order);
    Tick();
    EXPECT_EQ(area_.ordered, 0);
    ASSERT_EQ(service_.outcomes().size(), number);
    EXPECT_EQ(service_.outcomes().back().number(), number);
    EXPECT_EQ(service_.outcomes().back().state(), v1::RESIZE_STATE_REFUSED);
    EXPECT_THAT(service_.outcomes().back().reason(),
                HasSubstr("which is no limit"));
  }
}

TEST_F(ServiceOrdersTest, TellsOfAnOrderThatIsSentAgainAndDoesNotRepeatIt) {
  Order(1, 5 * kMiB);
  Tick();
  Answer(7 * kMiB);
  // Somebody else orders meanwhile, and is refused, too.
  limits_.SetLimit({.bytes = 1 * kMiB});
  limits_.Poll();
  Answer(8 * kMiB);
  const uint64_t ordered = area_.ordered;
  Order(1, 5 * kMiB);
  Tick();
  EXPECT_EQ(area_.ordered, ordered);
  ASSERT_EQ(service_.outcomes().size(), 2);
  EXPECT_EQ(service_.outcomes()[1].SerializeAsString(),
            service_.outcomes()[0].SerializeAsString());
}

TEST_F(ServiceOrdersTest, SaysWhyTheJobRefuses) {
  Order(1, 5 * kMiB);
  Tick();
  Answer(7 * kMiB);
  Order(2, 6 * kMiB);
  Tick();
  Answer(session::kNoRoomToObey);
  ASSERT_EQ(service_.outcomes().size(), 2);
  const v1::ResizeOutcome small = service_.outcomes()[0];
  EXPECT_EQ(small.state(), v1::RESIZE_STATE_REFUSED);
  EXPECT_EQ(small.least_limit_bytes(), 7 * kMiB);
  EXPECT_THAT(small.reason(), HasSubstr("least limit"));
  const v1::ResizeOutcome full = service_.outcomes()[1];
  EXPECT_EQ(full.least_limit_bytes(), 0);
  EXPECT_THAT(full.reason(), HasSubstr("no room"));
}

TEST_F(ServiceOrdersTest, KeepsWhatAJobClaimsWithinTheBoundsOfTheService) {
  Order(1, 5 * kMiB);
  Tick();
  Answer(int64_t{1} << 62);
  Order(2, 5 * kMiB);
  Tick();
  Answer(-77);
  ASSERT_EQ(service_.outcomes().size(), 2);
  EXPECT_EQ(service_.outcomes()[0].least_limit_bytes(), int64_t{1} << 60);
  EXPECT_EQ(service_.outcomes()[1].least_limit_bytes(), 0);
}

TEST_F(ServiceOrdersTest, AJobThatEndsHasRefused) {
  Order(1, 5 * kMiB);
  Tick();
  limits_.End();
  Tick();
  ASSERT_EQ(service_.outcomes().size(), 1);
  EXPECT_EQ(service_.outcomes()[0].state(), v1::RESIZE_STATE_REFUSED);
  EXPECT_EQ(service_.outcomes()[0].reason(), "the job has ended");
}

}  // namespace
}  // namespace stowage::agent
