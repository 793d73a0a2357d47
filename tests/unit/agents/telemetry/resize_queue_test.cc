#include "agents/telemetry/resize_queue.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

v1::HeartbeatResponse Ordering(const std::string& job_id, int64_t number) {
  v1::HeartbeatResponse response;
  v1::ResizeOrder* order = response.add_orders();
  order->set_job_id(job_id);
  order->set_number(number);
  return response;
}

v1::ResizeOutcome Obeyed(const std::string& job_id, int64_t number) {
  v1::ResizeOutcome outcome;
  outcome.set_job_id(job_id);
  outcome.set_number(number);
  outcome.set_state(v1::RESIZE_STATE_OBEYED);
  return outcome;
}

TEST(ResizeQueueTest, HasAnOrderUntilItsOutcomeIsReported) {
  ResizeQueue resizes;
  resizes.TakeOrders(Ordering("a", 1));
  EXPECT_TRUE(resizes.has_orders());
  EXPECT_EQ(resizes.OrderOf("a")->number(), 1);
  EXPECT_FALSE(resizes.OrderOf("b"));
  resizes.Report(Obeyed("a", 1));
  EXPECT_FALSE(resizes.OrderOf("a"));
  EXPECT_FALSE(resizes.has_orders());
  resizes.TakeOrders(Ordering("a", 1));  // the service had not heard of it
  EXPECT_EQ(resizes.OrderOf("a")->number(), 1);
}

TEST(ResizeQueueTest, ALaterOrderOutlivesTheOutcomeOfTheOneBefore) {
  ResizeQueue resizes;
  resizes.TakeOrders(Ordering("a", 2));
  resizes.Report(Obeyed("a", 1));
  EXPECT_EQ(resizes.OrderOf("a")->number(), 2);
}

TEST(ResizeQueueTest, ForgetsOrdersThatTheServiceSendsNoMore) {
  ResizeQueue resizes;
  resizes.TakeOrders(Ordering("a", 1));
  resizes.TakeOrders({});
  EXPECT_FALSE(resizes.has_orders());
}

TEST(ResizeQueueTest, SendsAnOutcomeUntilTheServiceHasAnswered) {
  ResizeQueue resizes;
  resizes.Report(Obeyed("a", 1));
  v1::HeartbeatRequest first, second;
  resizes.AddOutcomes(&first);
  resizes.AddOutcomes(&second);
  ASSERT_EQ(second.outcomes_size(), 1);
  EXPECT_EQ(second.outcomes(0).number(), 1);
  resizes.NoteSent(second);
  EXPECT_FALSE(resizes.has_outcomes());
}

TEST(ResizeQueueTest, KeepsAnOutcomeThatCameWhileTheOneBeforeWasSent) {
  ResizeQueue resizes;
  resizes.Report(Obeyed("a", 1));
  v1::HeartbeatRequest request;
  resizes.AddOutcomes(&request);
  resizes.Report(Obeyed("a", 2));
  resizes.NoteSent(request);
  EXPECT_TRUE(resizes.has_outcomes());
}

TEST(ResizeQueueTest, SendsManyOutcomesWithSeveralHeartbeats) {
  ResizeQueue resizes;
  for (int i = 0; i < ResizeQueue::kMostOutcomes + 1; ++i) {
    resizes.Report(Obeyed(absl::StrCat("job-", i), 1));
  }
  for (const int expected : {ResizeQueue::kMostOutcomes, 1}) {
    v1::HeartbeatRequest request;
    resizes.AddOutcomes(&request);
    EXPECT_EQ(request.outcomes_size(), expected);
    resizes.NoteSent(request);
  }
}

}  // namespace
}  // namespace stowage::agent
