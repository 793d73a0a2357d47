#include "server/fleet/job_resize.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/fleet/job_registry.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kMiB = 1 << 20;

v1::Job LimitedJob(const std::string& id, const std::string& node) {
  v1::Job job;
  job.set_job_id(id);
  job.set_node(node);
  job.set_fast_limit_bytes(64 * kMiB);
  return job;
}

v1::ResizeJobRequest Ask(const std::string& job_id, int64_t bytes,
                         const std::string& request_id = "") {
  v1::ResizeJobRequest request;
  request.set_job_id(job_id);
  request.set_fast_limit_bytes(bytes);
  request.set_request_id(request_id);
  return request;
}

v1::ResizeOutcome Outcome(const v1::ResizeOrder& order, v1::ResizeState state) {
  v1::ResizeOutcome outcome;
  outcome.set_job_id(order.job_id());
  outcome.set_number(order.number());
  outcome.set_state(state);
  return outcome;
}

class JobResizeTest : public ::testing::Test {
 protected:
  JobResizeTest() {
    for (const char* node : {"host-1", "host-2"}) {
      nodes_.Register(node, {}, kStart).IgnoreError();
    }
    jobs_.Start(LimitedJob("j", "host-1"), kStart).IgnoreError();
    jobs_.Start(LimitedJob("other", "host-2"), kStart).IgnoreError();
  }

  v1::ResizeOrder Order(int64_t bytes) {
    EXPECT_TRUE(jobs_.Resize(Ask("j", bytes), kStart).ok());
    return jobs_.PendingOrders("host-1").at(0);
  }
  v1::Resize Known() { return jobs_.Get("j", kStart)->resize(); }

  NodeRegistry nodes_{kLease};
  JobRegistry jobs_{&nodes_};
};

TEST_F(JobResizeTest, IsPendingAndOrderedOfItsNodeAlone) {
  EXPECT_FALSE(jobs_.Get("j", kStart)->has_resize());
  const auto job = jobs_.Resize(Ask("j", 32 * kMiB), kStart);
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->resize().state(), v1::RESIZE_STATE_PENDING);
  EXPECT_GT(job->resize().number(), 0);
  EXPECT_EQ(job->fast_limit_bytes(), 64 * kMiB);  // until it has obeyed
  const std::vector<v1::ResizeOrder> orders = jobs_.PendingOrders("host-1");
  ASSERT_THAT(orders, SizeIs(1));
  EXPECT_EQ(orders[0].job_id(), "j");
  EXPECT_EQ(orders[0].number(), job->resize().number());
  EXPECT_EQ(orders[0].fast_limit_bytes(), 32 * kMiB);
  EXPECT_THAT(jobs_.PendingOrders("host-2"), IsEmpty());
}

TEST_F(JobResizeTest, IsOrderedAgainUntilThereIsAnOutcome) {
  const v1::ResizeOrder order = Order(32 * kMiB);
  EXPECT_THAT(jobs_.PendingOrders("host-1"), SizeIs(1));
  jobs_.TakeOutcome("host-1", Outcome(order, v1::RESIZE_STATE_OBEYED));
  EXPECT_THAT(jobs_.PendingOrders("host-1"), IsEmpty());
  EXPECT_EQ(Known().state(), v1::RESIZE_STATE_OBEYED);
  EXPECT_EQ(jobs_.Get("j", kStart)->fast_limit_bytes(), 32 * kMiB);
}

TEST_F(JobResizeTest, AShareMakesTheLimitUnknownUntilTheAgentTellsIt) {
  v1::ResizeJobRequest request = Ask("j", 0);
  request.set_fast_limit_fraction(0.5);
  ASSERT_TRUE(jobs_.Resize(request, kStart).ok());
  const v1::ResizeOrder order = jobs_.PendingOrders("host-1").at(0);
  EXPECT_EQ(order.fast_limit_fraction(), 0.5);
  jobs_.TakeOutcome("host-1", Outcome(order, v1::RESIZE_STATE_OBEYED));
  EXPECT_EQ(jobs_.Get("j", kStart)->fast_limit_bytes(), 0);
}

TEST_F(JobResizeTest, ARefusalKeepsTheLimitAndSaysWhy) {
  v1::ResizeOutcome refused =
      Outcome(Order(2 * kMiB), v1::RESIZE_STATE_REFUSED);
  refused.set_least_limit_bytes(9 * kMiB);
  refused.set_reason("9 MiB would do");
  jobs_.TakeOutcome("host-1", refused);
  EXPECT_EQ(Known().state(), v1::RESIZE_STATE_REFUSED);
  EXPECT_EQ(Known().least_limit_bytes(), 9 * kMiB);
  EXPECT_EQ(Known().reason(), "9 MiB would do");
  EXPECT_EQ(jobs_.Get("j", kStart)->fast_limit_bytes(), 64 * kMiB);
  EXPECT_THAT(jobs_.PendingOrders("host-1"), IsEmpty());
}

TEST_F(JobResizeTest, IgnoresOutcomesThatSettleNothing) {
  const v1::ResizeOrder order = Order(32 * kMiB);
  jobs_.TakeOutcome("host-2", Outcome(order, v1::RESIZE_STATE_OBEYED));
  jobs_.TakeOutcome("host-1", Outcome(order, v1::RESIZE_STATE_PENDING));
  v1::ResizeOutcome another = Outcome(order, v1::RESIZE_STATE_OBEYED);
  another.set_number(order.number() - 1);
  jobs_.TakeOutcome("host-1", another);
  another.set_job_id("nobody");
  jobs_.TakeOutcome("host-1", another);
  EXPECT_EQ(Known().state(), v1::RESIZE_STATE_PENDING);
  jobs_.TakeOutcome("host-1", Outcome(order, v1::RESIZE_STATE_OBEYED));
  jobs_.TakeOutcome("host-1", Outcome(order, v1::RESIZE_STATE_REFUSED));
  EXPECT_EQ(Known().state(), v1::RESIZE_STATE_OBEYED);
}

TEST_F(JobResizeTest, ALaterOneTakesThePlaceOfOneThatIsPending) {
  const v1::ResizeOrder first = Order(32 * kMiB);
  const v1::ResizeOrder second = Order(16 * kMiB);
  EXPECT_GT(second.number(), first.number());
  EXPECT_THAT(jobs_.PendingOrders("host-1"), SizeIs(1));
  jobs_.TakeOutcome("host-1", Outcome(first, v1::RESIZE_STATE_OBEYED));
  EXPECT_EQ(Known().state(), v1::RESIZE_STATE_PENDING);
}

TEST_F(JobResizeTest, TheSameOneAgainChangesNothing) {
  const v1::ResizeOrder order = Order(32 * kMiB);
  EXPECT_EQ(Order(32 * kMiB).number(), order.number());
  jobs_.TakeOutcome("host-1", Outcome(order, v1::RESIZE_STATE_OBEYED));
  // Without an id it may be a wish of its own: the agent may know better.
  EXPECT_GT(Order(32 * kMiB).number(), order.number());
}

TEST_F(JobResizeTest, ARetryReturnsWhatCameOfTheFirstCall) {
  const auto first = jobs_.Resize(Ask("j", 32 * kMiB, "r"), kStart);
  jobs_.TakeOutcome("host-1", Outcome(jobs_.PendingOrders("host-1").at(0),
                                      v1::RESIZE_STATE_OBEYED));
  ASSERT_TRUE(jobs_.Finish("j", kStart).ok());
  const auto retry = jobs_.Resize(Ask("j", 32 * kMiB, "r"), kStart);
  ASSERT_TRUE(retry.ok()) << retry.status();
  EXPECT_EQ(retry->resize().number(), first->resize().number());
  EXPECT_EQ(retry->resize().state(), v1::RESIZE_STATE_OBEYED);
}

TEST_F(JobResizeTest, AJobThatEndsMeanwhileHasRefused) {
  const v1::ResizeOrder order = Order(32 * kMiB);
  ASSERT_TRUE(jobs_.Finish("j", kStart).ok());
  EXPECT_THAT(jobs_.PendingOrders("host-1"), IsEmpty());
  EXPECT_EQ(Known().state(), v1::RESIZE_STATE_REFUSED);
  EXPECT_EQ(Known().reason(), "the job ended before it obeyed");
  jobs_.TakeOutcome("host-1", Outcome(order, v1::RESIZE_STATE_OBEYED));
  EXPECT_EQ(Known().state(), v1::RESIZE_STATE_REFUSED);
}

TEST_F(JobResizeTest, RefusesJobsThatDoNotRun) {
  EXPECT_TRUE(
      absl::IsNotFound(jobs_.Resize(Ask("nobody", kMiB), kStart).status()));
  const absl::Status lost =
      jobs_.Resize(Ask("j", kMiB), kStart + 2 * kLease).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(lost)) << lost;
  EXPECT_THAT(std::string(lost.message()), HasSubstr("host-1"));
  ASSERT_TRUE(jobs_.Finish("j", kStart).ok());
  const absl::Status finished = jobs_.Resize(Ask("j", kMiB), kStart).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(finished)) << finished;
}

TEST_F(JobResizeTest, AServiceThatRestartsForgetsItAndGoesOnCounting) {
  const v1::ResizeOrder order = Order(32 * kMiB);
  JobRegistry restarted(&nodes_);
  const absl::Time later = kStart + absl::Seconds(1);
  ASSERT_TRUE(restarted.Start(LimitedJob("j", "host-1"), later).ok());
  EXPECT_THAT(restarted.PendingOrders("host-1"), IsEmpty());
  restarted.TakeOutcome("host-1", Outcome(order, v1::RESIZE_STATE_OBEYED));
  EXPECT_FALSE(restarted.Get("j", later)->has_resize());
  const auto job = restarted.Resize(Ask("j", 16 * kMiB), later);
  EXPECT_GT(job->resize().number(), order.number());
}

TEST_F(JobResizeTest, AnAnnouncementOfTheJobLeavesItAlone) {
  Order(32 * kMiB);
  v1::Job job = LimitedJob("j", "host-1");
  job.mutable_resize()->set_state(v1::RESIZE_STATE_OBEYED);
  ASSERT_TRUE(jobs_.Start(job, kStart).ok());
  EXPECT_EQ(Known().state(), v1::RESIZE_STATE_PENDING);
}

}  // namespace
}  // namespace stowage
