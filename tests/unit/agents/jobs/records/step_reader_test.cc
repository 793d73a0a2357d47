#include "agents/jobs/records/step_reader.h"

#include <memory>

#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

class StepReaderTest : public testing::Test {
 protected:
  void Log(const session::StepRecord& step) {
    const uint64_t written = log_->written.load();
    log_->entries[written % session::kStepEntries] = step;
    log_->written.store(written + 1);
  }

  const std::unique_ptr<session::StepLog> log_ =
      std::make_unique<session::StepLog>();
  StepReader reader_{log_.get(), "job"};
};

TEST_F(StepReaderTest, PassesEachStepOnOnce) {
  Log({.index = 3,
       .mode = session::kStepPlan,
       .fallbacks = 2,
       .duration_ns = 100,
       .predicted = {.step_ns = 90},
       .stall_ns = 5,
       .fast_peak_bytes = 7,
       .moved_in_bytes = 8,
       .moved_out_bytes = 9,
       .hints_taken = 10,
       .hints_ignored = 11,
       .plan_skip = session::kDemandFaster,
       .plan_median_ns = 12});
  const auto steps = reader_.Read();
  ASSERT_EQ(steps.size(), 1);
  EXPECT_EQ(steps[0].job_id(), "job");
  EXPECT_EQ(steps[0].index(), 3);
  EXPECT_EQ(steps[0].mode(), v1::STEP_MODE_PLAN);
  EXPECT_EQ(steps[0].fallbacks(), 2);
  EXPECT_EQ(steps[0].duration_ns(), 100);
  EXPECT_EQ(steps[0].predicted_duration_ns(), 90);
  EXPECT_EQ(steps[0].stall_ns(), 5);
  EXPECT_EQ(steps[0].fast_peak_bytes(), 7);
  EXPECT_EQ(steps[0].moved_in_bytes(), 8);
  EXPECT_EQ(steps[0].moved_out_bytes(), 9);
  EXPECT_EQ(steps[0].hints_taken(), 10);
  EXPECT_EQ(steps[0].hints_ignored(), 11);
  EXPECT_EQ(steps[0].plan_skip(), v1::PLAN_SKIP_DEMAND_FASTER);
  EXPECT_EQ(steps[0].plan_median_ns(), 12);
  EXPECT_TRUE(reader_.Read().empty());
}

TEST_F(StepReaderTest, LeavesOutRecordsThatNoStepCanHave) {
  Log({.index = 0, .mode = 0});
  Log({.index = 1, .mode = 77});
  Log({.index = 2, .mode = session::kStepDemand, .duration_ns = -1});
  Log({.index = -3, .mode = session::kStepDemand});
  Log({.index = 3, .mode = session::kStepDemand, .plan_skip = 9});
  Log({.index = 4, .mode = session::kStepDemand});
  const auto steps = reader_.Read();
  ASSERT_EQ(steps.size(), 1);
  EXPECT_EQ(steps[0].index(), 4);
}

TEST_F(StepReaderTest, SkipsStepsThatWereOverwritten) {
  for (uint64_t i = 0; i < session::kStepEntries + 10; ++i) {
    Log({.index = static_cast<int64_t>(i), .mode = session::kStepDemand});
  }
  EXPECT_EQ(reader_.Read().front().index(), 10);
}

TEST_F(StepReaderTest, ReadsABoundedNumberWhateverTheCounterSays) {
  log_->written.store(~uint64_t{0});
  EXPECT_LE(reader_.Read().size(), 1024);
  log_->written.store(5);
  EXPECT_TRUE(reader_.Read().empty());
}

}  // namespace
}  // namespace stowage::agent
