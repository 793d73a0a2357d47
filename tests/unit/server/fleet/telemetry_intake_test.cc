#include "server/fleet/telemetry_intake.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

const absl::Time kNow = absl::FromUnixSeconds(1'000'000);

v1::TelemetryBatch Batch(int64_t sequence) {
  v1::TelemetryBatch batch;
  batch.set_node("host-1");
  batch.set_sequence(sequence);
  batch.set_dropped_steps(2);
  v1::StepTelemetry* step = batch.add_steps();
  step->set_job_id("j");
  step->set_mode(v1::STEP_MODE_PLAN);
  step->set_duration_ns(3'000'000'000);
  step->set_stall_ns(500'000'000);
  step->set_moved_in_bytes(10);
  step->set_moved_out_bytes(20);
  step->set_fallbacks(1);
  step->set_hints_taken(4);
  step->set_hints_ignored(5);
  step->set_plan_skip(v1::PLAN_SKIP_DEMAND_FASTER);
  return batch;
}

class TelemetryIntakeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(nodes_.Register("host-1", {}, kNow).ok());
  }

  NodeRegistry nodes_{absl::Seconds(15)};
  JobRegistry jobs_{&nodes_};
  TelemetryIntake intake_{&nodes_, &jobs_};
};

TEST_F(TelemetryIntakeTest, SumsUpABatchAndTellsTheJob) {
  const absl::StatusOr<TelemetryTotals> totals = intake_.Accept(Batch(1), kNow);
  ASSERT_TRUE(totals.ok()) << totals.status();
  EXPECT_EQ(totals->steps[v1::STEP_MODE_PLAN], 1);
  EXPECT_EQ(totals->step_seconds[v1::STEP_MODE_PLAN], 3);
  EXPECT_EQ(totals->stall_seconds, 0.5);
  EXPECT_EQ(totals->fallbacks, 1);
  EXPECT_EQ(totals->skipped_plans[v1::PLAN_SKIP_DEMAND_FASTER], 1);
  EXPECT_EQ(totals->hints_taken, 4);
  EXPECT_EQ(totals->hints_ignored, 5);
  EXPECT_EQ(totals->dropped_steps, 2);
  EXPECT_EQ(totals->moved_in_bytes, 10);
  EXPECT_EQ(totals->moved_out_bytes, 20);
  EXPECT_EQ(jobs_.Get("j", kNow)->steps(), 1);
}

TEST_F(TelemetryIntakeTest, ABatchSentAgainCountsOnce) {
  ASSERT_TRUE(intake_.Accept(Batch(1), kNow).ok());
  const absl::StatusOr<TelemetryTotals> again = intake_.Accept(Batch(1), kNow);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->steps[v1::STEP_MODE_PLAN], 0);
  EXPECT_EQ(again->dropped_steps, 0);
  EXPECT_EQ(jobs_.Get("j", kNow)->steps(), 1);
}

TEST_F(TelemetryIntakeTest, ABatchOfAnUnknownNodeIsNotFound) {
  v1::TelemetryBatch batch = Batch(1);
  batch.set_node("host-2");
  EXPECT_TRUE(absl::IsNotFound(intake_.Accept(batch, kNow).status()));
}

TEST_F(TelemetryIntakeTest, RefusesStepsThatDoNotAscendAndTakesNothing) {
  for (int64_t second : {5, 4}) {
    v1::TelemetryBatch batch = Batch(1);
    batch.mutable_steps(0)->set_index(5);
    *batch.add_steps() = batch.steps(0);
    batch.mutable_steps(1)->set_index(second);
    const absl::Status status = intake_.Accept(batch, kNow).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(absl::StrCat("steps[1].index is ", second)));
  }
  EXPECT_TRUE(absl::IsNotFound(jobs_.Get("j", kNow).status()));
}

TEST_F(TelemetryIntakeTest, JobsAscendEachByItself) {
  v1::TelemetryBatch batch = Batch(1);
  batch.mutable_steps(0)->set_index(5);
  *batch.add_steps() = batch.steps(0);
  batch.mutable_steps(1)->set_index(0);
  batch.mutable_steps(1)->set_job_id("k");
  EXPECT_TRUE(intake_.Accept(batch, kNow).ok());
}

TEST_F(TelemetryIntakeTest, RefusesTheJobsOfAnotherNode) {
  ASSERT_TRUE(nodes_.Register("host-2", {}, kNow).ok());
  ASSERT_TRUE(intake_.Accept(Batch(1), kNow).ok());
  v1::TelemetryBatch batch = Batch(2);
  batch.set_node("host-2");
  batch.mutable_steps(0)->set_index(1);
  EXPECT_TRUE(absl::IsInvalidArgument(intake_.Accept(batch, kNow).status()));
  EXPECT_EQ(jobs_.Get("j", kNow)->steps(), 1);
}

// The acknowledgement was lost with the stream. The agent sends the batch again
// on another one, with steps that have come since in the next batch.
TEST_F(TelemetryIntakeTest, ABatchSentAgainOnAnotherStreamCountsOnce) {
  ASSERT_TRUE(intake_.Accept(Batch(1), kNow).ok());
  int observed = 0;
  TelemetryIntake next(&nodes_, &jobs_, [&](const auto&) { ++observed; });
  const absl::StatusOr<TelemetryTotals> again = next.Accept(Batch(1), kNow);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->steps[v1::STEP_MODE_PLAN], 0);
  EXPECT_EQ(again->repeated_steps, 1);
  EXPECT_EQ(again->dropped_steps, 0);
  EXPECT_EQ(again->moved_in_bytes, 0);
  EXPECT_EQ(observed, 0);
  v1::TelemetryBatch news = Batch(2);
  news.mutable_steps(0)->set_index(1);
  EXPECT_EQ(next.Accept(news, kNow)->steps[v1::STEP_MODE_PLAN], 1);
  EXPECT_EQ(jobs_.Get("j", kNow)->steps(), 2);
}

// The restarted service knows no job, and so no index.
TEST_F(TelemetryIntakeTest, AServiceThatRestartedTakesAJobWhereItIs) {
  v1::TelemetryBatch batch = Batch(1);
  batch.mutable_steps(0)->set_index(1000);
  EXPECT_EQ(intake_.Accept(batch, kNow)->steps[v1::STEP_MODE_PLAN], 1);
}

TEST_F(TelemetryIntakeTest, AModeOfANewerAgentCountsAsUnspecified) {
  v1::TelemetryBatch batch = Batch(1);
  batch.mutable_steps(0)->set_mode(static_cast<v1::StepMode>(77));
  EXPECT_EQ(intake_.Accept(batch, kNow)->steps[v1::STEP_MODE_UNSPECIFIED], 1);
}

TEST(IsAsPlannedTest, StepsThatAPlanDroveToTheirEndAre) {
  v1::StepTelemetry step;
  step.set_mode(v1::STEP_MODE_PLAN);
  step.set_predicted_duration_ns(1);
  EXPECT_TRUE(IsAsPlanned(step));
  step.set_fallbacks(1);
  EXPECT_FALSE(IsAsPlanned(step));
  step.set_fallbacks(0);
  step.set_predicted_duration_ns(0);
  EXPECT_FALSE(IsAsPlanned(step));
  step.set_predicted_duration_ns(1);
  step.set_mode(v1::STEP_MODE_DEMAND);
  EXPECT_FALSE(IsAsPlanned(step));
}

TEST_F(TelemetryIntakeTest, SumsOfHugeFiguresDoNotOverflow) {
  v1::TelemetryBatch batch = Batch(1);
  batch.mutable_steps(0)->set_moved_in_bytes(
      std::numeric_limits<int64_t>::max());
  *batch.add_steps() = batch.steps(0);
  batch.mutable_steps(1)->set_index(1);
  EXPECT_GT(intake_.Accept(batch, kNow)->moved_in_bytes, 1.8e19);
}

}  // namespace
}  // namespace stowage
