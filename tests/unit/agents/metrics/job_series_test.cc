#include "agents/metrics/job_series.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "network/metrics_page.h"

namespace stowage::agent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

v1::StepTelemetry PlannedStep(const std::string& job_id) {
  v1::StepTelemetry step;
  step.set_job_id(job_id);
  step.set_mode(v1::STEP_MODE_PLAN);
  step.set_duration_ns(2'000'000'000);
  step.set_predicted_duration_ns(1'500'000'000);
  step.set_stall_ns(500'000'000);
  step.set_fast_peak_bytes(90);
  step.set_moved_in_bytes(30);
  step.set_moved_out_bytes(20);
  return step;
}

class JobSeriesTest : public testing::Test {
 protected:
  std::string Page() const { return MetricsPage({series_}).body; }

  const std::shared_ptr<JobSeries> series_ = std::make_shared<JobSeries>();
};

TEST_F(JobSeriesTest, AddsUpTheStepsOfEachJobAndShowsTheLastOne) {
  series_->SetLimit("a", 100);
  series_->SetLimit("b", 200);
  v1::StepTelemetry demand = PlannedStep("a");
  demand.set_mode(v1::STEP_MODE_DEMAND);
  demand.set_duration_ns(4'000'000'000);
  series_->CountStep(demand);
  series_->CountStep(PlannedStep("a"));
  EXPECT_THAT(
      Page(),
      AllOf(HasSubstr("job_steps_total{job_id=\"a\",mode=\"demand\"} 1\n"),
            HasSubstr("job_steps_total{job_id=\"a\",mode=\"plan\"} 1\n"),
            HasSubstr("job_steps_total{job_id=\"b\",mode=\"plan\"} 0\n"),
            HasSubstr("job_fast_limit_bytes{job_id=\"a\"} 100\n"),
            HasSubstr("job_fast_limit_bytes{job_id=\"b\"} 200\n"),
            HasSubstr("job_fast_peak_bytes{job_id=\"a\"} 90\n"),
            HasSubstr("job_last_step_seconds{job_id=\"a\"} 2\n"),
            HasSubstr("job_last_predicted_seconds{job_id=\"a\"} 1.5\n"),
            HasSubstr("job_step_seconds_total{job_id=\"a\"} 6\n"),
            HasSubstr("job_stall_seconds_total{job_id=\"a\"} 1\n"),
            HasSubstr("job_slow_read_bytes_total{job_id=\"a\"} 60\n"),
            HasSubstr("job_slow_written_bytes_total{job_id=\"a\"} 40\n")));
}

TEST_F(JobSeriesTest, SaysNothingOfWhatIsNotKnown) {
  series_->SetLimit("a", 0);
  EXPECT_THAT(Page(), AllOf(HasSubstr("job_step_seconds_total"),
                            Not(HasSubstr("job_fast_limit_bytes{")),
                            Not(HasSubstr("job_last_step_seconds{")),
                            Not(HasSubstr("job_last_predicted_seconds{"))));
}

TEST_F(JobSeriesTest, NoSeriesOfAJobIsLeftWhenItHasEnded) {
  for (int job = 0; job < 1000; ++job) {
    const std::string id = "job" + std::to_string(job);
    series_->SetLimit(id, 100);
    series_->CountStep(PlannedStep(id));
    series_->End(id);
    series_->CountStep(PlannedStep(id));
  }
  EXPECT_THAT(Page(), Not(HasSubstr("job_id")));
}

TEST_F(JobSeriesTest, AJobWhoseLimitChangesKeepsItsSums) {
  series_->SetLimit("a", 100);
  series_->CountStep(PlannedStep("a"));
  series_->SetLimit("a", 300);
  EXPECT_THAT(Page(),
              AllOf(HasSubstr("job_fast_limit_bytes{job_id=\"a\"} 300\n"),
                    HasSubstr("job_step_seconds_total{job_id=\"a\"} 2\n")));
}

TEST_F(JobSeriesTest, AStepOfAModeThatIsNotKnownIsUnspecified) {
  series_->SetLimit("a", 100);
  v1::StepTelemetry step = PlannedStep("a");
  step.set_mode(static_cast<v1::StepMode>(99));
  series_->CountStep(step);
  EXPECT_THAT(
      Page(),
      HasSubstr("job_steps_total{job_id=\"a\",mode=\"unspecified\"} 1\n"));
}

}  // namespace
}  // namespace stowage::agent
