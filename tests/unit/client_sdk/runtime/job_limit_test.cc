// A limit that the agent changes while a job runs.
#include <atomic>
#include <thread>

#include "client_sdk/runtime/job.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/sizes.h"
#include "tests/unit/client_sdk/runtime/small_training.h"

namespace stowage::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class JobLimitTest : public testing::Test {
 protected:
  JobLimitTest() {
    training_.WarmUp();
    training_.Step();  // arranges the tensors that are alive
  }

  // Makes a step once the agent has made a plan of the last profile.
  void Step() {
    while (segment().plans_written != segment().profiles_written) {
      std::this_thread::yield();
    }
    training_.Step();
  }
  // Makes the step that is profiled again, of which the agent makes a plan for
  // `limit_bytes`.
  void StepProfiledFor(int64_t limit_bytes) {
    const uint64_t profiles = segment().profiles_written;
    planned_limit_bytes_ = limit_bytes;
    Step();
    EXPECT_EQ(training_.last().mode, session::kStepPlan);
    EXPECT_EQ(segment().profiles_written, profiles + 1);
  }
  void Order(const session::LimitOrder& order) {
    segment().limits.order = order;
    ++segment().limits.ordered;
  }
  session::Segment& segment() {
    return *training_.process().client().segment();
  }

  std::atomic<int64_t> planned_limit_bytes_ = 40 * kUnit;
  SmallTraining training_{[this](session::PlanArea* plan) {
    plan->fast_limit_bytes = planned_limit_bytes_;
  }};
};

TEST_F(JobLimitTest, AnOrderIsInForceWithAPlanForItOneStepLater) {
  StepProfiledFor(30 * kUnit);
  Order({.limit_bytes = 30 * kUnit});
  Step();
  EXPECT_EQ(training_.last().mode, session::kStepPlan);
  EXPECT_EQ(training_.last().limit_bytes, 40 * kUnit);
  EXPECT_EQ(segment().limits.taken, 1u);
  EXPECT_EQ(segment().limits.refused_below_bytes, session::kLimitObeyed);
  Step();
  EXPECT_EQ(training_.last().mode, session::kStepPlan);
  EXPECT_EQ(training_.last().limit_bytes, 30 * kUnit);
  EXPECT_LE(training_.last().fast_peak_bytes, 30 * kUnit);
  training_.CheckContents();
  EXPECT_THAT(training_.process().Events(), ElementsAre("limit-changed"));
}

TEST_F(JobLimitTest, APlanThatWasMadeForMoreIsNotFollowed) {
  StepProfiledFor(40 * kUnit);
  Order({.limit_bytes = 30 * kUnit});
  Step();  // its plan is for what the limit was
  Step();
  EXPECT_EQ(training_.last().mode, session::kStepProfile);
  planned_limit_bytes_ = 30 * kUnit;
  // Plans for more, which are dropped, may still be on their way.
  for (int i = 0; training_.last().mode != session::kStepPlan; ++i) {
    ASSERT_LT(i, 4);
    Step();
  }
  training_.CheckContents();
}

TEST_F(JobLimitTest, ALimitThatIsTooSmallChangesNothing) {
  StepProfiledFor(40 * kUnit);
  Order({.limit_bytes = session::kPageBytes});
  for (int i = 0; i < 2; ++i) {
    Step();
    EXPECT_EQ(training_.last().mode, session::kStepPlan);
    EXPECT_EQ(training_.last().limit_bytes, 40 * kUnit);
  }
  EXPECT_GT(segment().limits.refused_below_bytes, session::kPageBytes);
  training_.CheckContents();
  EXPECT_THAT(training_.process().Events(), IsEmpty());
}

}  // namespace
}  // namespace stowage::runtime
