#include "policies/estimate/estimate.h"

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/bound/quick_bound.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
#include "policies/simulate/simulator.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

class EstimateTest : public ::testing::Test {
 protected:
  absl::StatusOr<Plan> PlanUnder(int64_t limit_bytes,
                                 absl::Duration think_time) {
    ++plans_;
    absl::StatusOr<Plan> plan = policy_->MakePlan(
        graph_, system_,
        {.fast_limit_bytes = limit_bytes, .time_limit = think_time});
    if (!plan.ok()) return plan;
    absl::Status valid = VerifyPlan(graph_, system_, *plan);
    if (!valid.ok()) return valid;
    plan->prediction = Simulate(graph_, system_, *plan)->prediction;
    return plan;
  }

  absl::StatusOr<JobEstimate> Estimate(const EstimateOptions& options = {}) {
    return EstimateJob(
        graph_, system_,
        [this](int64_t limit_bytes, absl::Duration think_time) {
          return PlanUnder(limit_bytes, think_time);
        },
        options);
  }

  Graph graph_ = TrainingStepGraph(/*layers=*/8, /*seed=*/11);
  MemorySystem system_ = *PresetMemorySystem("file");
  const std::unique_ptr<Policy> policy_ = *MakePolicy(kDefaultPolicy);
  std::atomic<int> plans_ = 0;
};

TEST_F(EstimateTest, CoversLimitsFromTheLeastToThePeak) {
  const absl::StatusOr<JobEstimate> job = Estimate();
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->least_limit_bytes, FindLeastLimit(graph_, system_).bytes);
  EXPECT_EQ(job->points.front().limit_bytes, job->least_limit_bytes);
  EXPECT_GE(job->points.back().limit_bytes, job->peak_bytes);
  EXPECT_GE(job->points.size(), 9);
  EXPECT_FALSE(job->least_kernel.empty());
}

TEST_F(EstimateTest, BelowTheLeastLimitThereIsNoPlan) {
  const absl::StatusOr<JobEstimate> job = Estimate();
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_TRUE(absl::IsFailedPrecondition(
      PlanUnder(job->least_limit_bytes * 99 / 100, absl::Milliseconds(5))
          .status()));
}

TEST_F(EstimateTest, StepsNeverRiseWithTheLimitAndNeverBeatTheirBound) {
  const absl::StatusOr<JobEstimate> job = Estimate();
  ASSERT_TRUE(job.ok()) << job.status();
  int64_t before_ns = std::numeric_limits<int64_t>::max();
  for (const EstimatePoint& point : job->points) {
    if (point.streaming_kernels > 0) continue;
    EXPECT_LE(point.step_time_ns, before_ns);
    EXPECT_GE(point.step_time_ns, point.bound_ns);
    EXPECT_GE(point.bound_ns, AllFastNs(graph_, system_));
    before_ns = point.step_time_ns;
  }
}

TEST_F(EstimateTest, AGoalIsReachedByItsLimitAndNotMuchBelow) {
  const absl::StatusOr<JobEstimate> job = Estimate({.speeds = {0.5, 0.9}});
  ASSERT_TRUE(job.ok()) << job.status();
  ASSERT_EQ(job->goals.size(), 2);
  for (const SpeedGoal& goal : job->goals) {
    for (const EstimatePoint& point : job->points) {
      const bool reaches =
          point.streaming_kernels == 0 &&
          point.step_time_ns * goal.speed <= job->all_fast_ns * (1 + 1e-5);
      EXPECT_EQ(reaches, point.limit_bytes >= goal.limit_bytes)
          << goal.speed << " at " << point.limit_bytes;
    }
  }
  EXPECT_LE(job->goals[0].limit_bytes, job->goals[1].limit_bytes);
}

TEST_F(EstimateTest, TwoThreadsMakeThePlansWhereThereAreTwo) {
  std::atomic<int> calls = 0;
  const absl::StatusOr<JobEstimate> job =
      Estimate({.call_both = [&](const std::function<void()>& first,
                                 const std::function<void()>& second) {
        ++calls;
        std::thread other(second);
        first();
        other.join();
      }});
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_GE(calls, 1);
}

TEST_F(EstimateTest, AFastTierThatIsTooSmallForAnyPlanIsRefused) {
  system_.tiers[kFastTier].capacity_bytes = 4096;
  const absl::StatusOr<JobEstimate> job = Estimate();
  EXPECT_TRUE(absl::IsFailedPrecondition(job.status())) << job.status();
  EXPECT_THAT(job.status().message(), ::testing::HasSubstr("4096"));
  EXPECT_EQ(plans_, 0);
}

TEST_F(EstimateTest, AnErrorThatNoLimitExplainsEndsIt) {
  const absl::StatusOr<JobEstimate> job = EstimateJob(
      graph_, system_, [](int64_t, absl::Duration) -> absl::StatusOr<Plan> {
        return absl::CancelledError("not wanted");
      });
  EXPECT_TRUE(absl::IsCancelled(job.status()));
}

TEST_F(EstimateTest, WithoutPricesThereIsNone) {
  const absl::StatusOr<JobEstimate> job = Estimate();
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->points.back().price_usd, -1);
}

TEST_F(EstimateTest, PricesCountTheLimitAndWhatIsSlow) {
  system_ = *PresetMemorySystem("optane");
  const absl::StatusOr<JobEstimate> job = Estimate();
  ASSERT_TRUE(job.ok()) << job.status();
  const EstimatePoint& all = job->points.back();
  const double usd_per_byte = system_.tiers[kFastTier].price_usd_per_gb / 1e9;
  ASSERT_GT(usd_per_byte, 0);
  EXPECT_NEAR(all.price_usd, all.limit_bytes * usd_per_byte,
              0.02 * all.price_usd + all.slow_peak_bytes * usd_per_byte);
}

}  // namespace
}  // namespace stowage::policies
