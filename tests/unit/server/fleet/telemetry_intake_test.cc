#include "server/fleet/telemetry_intake.h"

#include <functional>
#include <limits>
#include <string>
#include <vector>

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
  step->set_moved_in_bytes(10);
  step->set_moved_out_bytes(20);
  step->set_fallbacks(1);
  step->set_hints_taken(4);
  step->set_hints_ignored(5);
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
  EXPECT_EQ(totals->fallbacks, 1);
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

TEST_F(TelemetryIntakeTest, RefusesNegativeFiguresByNameAndTakesNothing) {
  const std::vector<
      std::pair<std::string, std::function<void(v1::StepTelemetry*)>>>
      breakages = {
          {"index", [](auto* step) { step->set_index(-1); }},
          {"duration_ns", [](auto* step) { step->set_duration_ns(-1); }},
          {"predicted_duration_ns",
           [](auto* step) { step->set_predicted_duration_ns(-1); }},
          {"stall_ns", [](auto* step) { step->set_stall_ns(-1); }},
          {"fast_peak_bytes",
           [](auto* step) { step->set_fast_peak_bytes(-1); }},
          {"moved_in_bytes", [](auto* step) { step->set_moved_in_bytes(-1); }},
          {"moved_out_bytes",
           [](auto* step) { step->set_moved_out_bytes(-1); }},
          {"fallbacks", [](auto* step) { step->set_fallbacks(-1); }},
          {"hints_taken", [](auto* step) { step->set_hints_taken(-1); }},
          {"hints_ignored", [](auto* step) { step->set_hints_ignored(-1); }},
          {"job_id", [](auto* step) { step->clear_job_id(); }},
      };
  for (const auto& [field, break_step] : breakages) {
    v1::TelemetryBatch batch = Batch(1);
    *batch.add_steps() = batch.steps(0);
    break_step(batch.mutable_steps(1));
    const absl::Status status = intake_.Accept(batch, kNow).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << field;
    EXPECT_THAT(status.message(), HasSubstr("steps[1]." + field));
  }
  EXPECT_TRUE(absl::IsNotFound(jobs_.Get("j", kNow).status()));
}

TEST_F(TelemetryIntakeTest, RefusesMalformedBatches) {
  v1::TelemetryBatch dropped = Batch(1);
  dropped.set_dropped_steps(-1);
  for (const v1::TelemetryBatch& batch : {Batch(0), Batch(-1), dropped}) {
    EXPECT_TRUE(absl::IsInvalidArgument(intake_.Accept(batch, kNow).status()));
  }
}

TEST_F(TelemetryIntakeTest, AModeOfANewerAgentCountsAsUnspecified) {
  v1::TelemetryBatch batch = Batch(1);
  batch.mutable_steps(0)->set_mode(static_cast<v1::StepMode>(77));
  EXPECT_EQ(intake_.Accept(batch, kNow)->steps[v1::STEP_MODE_UNSPECIFIED], 1);
}

TEST_F(TelemetryIntakeTest, SumsOfHugeFiguresDoNotOverflow) {
  v1::TelemetryBatch batch = Batch(1);
  batch.mutable_steps(0)->set_moved_in_bytes(
      std::numeric_limits<int64_t>::max());
  *batch.add_steps() = batch.steps(0);
  EXPECT_GT(intake_.Accept(batch, kNow)->moved_in_bytes, 1.8e19);
}

}  // namespace
}  // namespace stowage
