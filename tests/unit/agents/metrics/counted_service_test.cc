#include "agents/metrics/counted_service.h"

#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "network/metrics_page.h"
#include "tests/unit/agents/fake_service.h"

namespace stowage::agent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CountedServiceTest : public testing::Test {
 protected:
  std::string Page() { return MetricsPage({metrics_.registry()}).body; }
  std::string JobPage() { return MetricsPage({series_}).body; }
  static v1::Job JobOf(const std::string& id) {
    v1::Job job;
    job.set_job_id(id);
    return job;
  }

  const TierPlace slow_ = {.tier = "file", .medium = "device 8:0"};
  FakeService service_;
  AgentMetrics metrics_{"0.1.0", slow_, /*endurance_bytes=*/70};
  const std::shared_ptr<JobSeries> series_ = std::make_shared<JobSeries>();
  CountedService counted_{&service_, &metrics_, series_.get(), slow_};
};

TEST_F(CountedServiceTest, AJobCountsOnceHoweverOftenItIsToldOf) {
  counted_.StartJob(JobOf("a"));
  counted_.StartJob(JobOf("a"));
  counted_.StartJob(JobOf("b"));
  counted_.FinishJob("a");
  counted_.FinishJob("a");
  EXPECT_THAT(Page(), AllOf(HasSubstr("stowage_agent_jobs_total 2\n"),
                            HasSubstr("stowage_agent_jobs_running 1\n")));
  EXPECT_EQ(service_.started().size(), 3);
}

TEST_F(CountedServiceTest, CodesThatOccurHaveASeriesFromTheBeginning) {
  EXPECT_THAT(
      Page(),
      AllOf(HasSubstr("stowage_agent_plans_total{code=\"UNAVAILABLE\"} 0\n"),
            HasSubstr("refused_jobs_total{code=\"RESOURCE_EXHAUSTED\"} 0\n")));
}

TEST_F(CountedServiceTest, SumsUpTheFastMemoryOfJobsThatRun) {
  for (const char* id : {"a", "b"}) {
    v1::Job job = JobOf(id);
    job.set_fast_limit_bytes(100);
    counted_.StartJob(job);
    v1::StepTelemetry step;
    step.set_job_id(id);
    step.set_fast_peak_bytes(90);
    counted_.ReportSteps({step});
  }
  EXPECT_THAT(Page(), AllOf(HasSubstr("stowage_agent_fast_limits_bytes 200\n"),
                            HasSubstr("stowage_agent_fast_peaks_bytes 180\n")));
  counted_.FinishJob("a");
  EXPECT_THAT(Page(), AllOf(HasSubstr("stowage_agent_fast_limits_bytes 100\n"),
                            HasSubstr("stowage_agent_fast_peaks_bytes 90\n")));
}

TEST_F(CountedServiceTest, TheSeriesOfAJobBeginAndEndWithIt) {
  v1::Job job = JobOf("a");
  job.set_fast_limit_bytes(100);
  counted_.StartJob(job);
  v1::StepTelemetry step;
  step.set_job_id("a");
  step.set_mode(v1::STEP_MODE_PLAN);
  counted_.ReportSteps({step});
  EXPECT_THAT(
      JobPage(),
      AllOf(HasSubstr("job_fast_limit_bytes{job_id=\"a\"} 100\n"),
            HasSubstr("job_steps_total{job_id=\"a\",mode=\"plan\"} 1\n")));
  counted_.FinishJob("a");
  EXPECT_THAT(JobPage(), Not(HasSubstr("job_id")));
}

TEST_F(CountedServiceTest, StepsCountByWhatDroveThem) {
  v1::StepTelemetry demand;
  demand.set_mode(v1::STEP_MODE_DEMAND);
  demand.set_duration_ns(2'000'000'000);
  demand.set_stall_ns(500'000'000);
  demand.set_moved_in_bytes(3000);
  demand.set_moved_out_bytes(2000);
  v1::StepTelemetry planned;
  planned.set_mode(v1::STEP_MODE_PLAN);
  planned.set_moved_out_bytes(1);
  planned.set_fallbacks(2);
  counted_.ReportSteps({demand, planned});
  EXPECT_THAT(Page(),
              AllOf(HasSubstr("stowage_agent_steps_total{mode=\"demand\"} 1\n"),
                    HasSubstr("stowage_agent_steps_total{mode=\"plan\"} 1\n"),
                    HasSubstr("stowage_agent_step_duration_seconds_sum{mode="
                              "\"demand\"} 2\n"),
                    HasSubstr("stowage_agent_stall_seconds_total 0.5\n"),
                    HasSubstr("stowage_agent_slow_read_bytes_total{medium="
                              "\"device 8:0\",tier=\"file\"} 3000\n"),
                    HasSubstr("stowage_agent_slow_written_bytes_total{medium="
                              "\"device 8:0\",tier=\"file\"} 2001\n"),
                    HasSubstr("stowage_agent_step_prediction_ratio_count 0\n"),
                    HasSubstr("stowage_agent_fallbacks_total 2\n")));
  EXPECT_EQ(service_.steps().size(), 2);
}

TEST_F(CountedServiceTest, StepsCountForTheSlowTierOfTheirJob) {
  const JobObserver observer = counted_.Observer();
  counted_.StartJob(JobOf("a"));
  const TierUse fast = {{"dram", "dram"}, 5, 1000};
  observer.on_use("a", {fast, {{"emulated-cxl", "emulated cxl"}, 30, 100}});
  v1::StepTelemetry step;
  step.set_job_id("a");
  step.set_moved_out_bytes(7);
  counted_.ReportSteps({step});
  EXPECT_THAT(Page(),
              AllOf(HasSubstr("slow_written_bytes_total{medium=\""
                              "emulated cxl\",tier=\"emulated-cxl\"} "
                              "7\n"),
                    HasSubstr("slow_written_bytes_total{medium=\"device "
                              "8:0\",tier=\"file\"} 0\n"),
                    HasSubstr("slow_endurance_bytes{medium=\"device 8:0"
                              "\",tier=\"file\"} 70\n")));
}

TEST_F(CountedServiceTest, SumsUpWhatJobsHaveTakenOfTheirTiers) {
  const JobObserver observer = counted_.Observer();
  const TierUse fast = {{"dram", "dram"}, 5, 1000};
  observer.on_use("c", {fast, {slow_, 30, 100}});  // has not begun
  for (const char* id : {"a", "b"}) {
    counted_.StartJob(JobOf(id));
    observer.on_use(id, {fast, {slow_, 30, 100}});
  }
  EXPECT_THAT(
      Page(),
      AllOf(HasSubstr("tier_used_bytes{medium=\"dram\",tier=\"dram\"} 10\n"),
            HasSubstr(
                "tier_used_bytes{medium=\"device 8:0\",tier=\"file\"} 60\n"),
            HasSubstr("tier_capacity_bytes{medium=\"device 8:0\",tier="
                      "\"file\"} 200\n"),
            Not(HasSubstr("tier_capacity_bytes{medium=\"dram\""))));
  counted_.FinishJob("a");
  counted_.FinishJob("b");
  EXPECT_THAT(
      Page(),
      AllOf(HasSubstr("tier_used_bytes{medium=\"dram\",tier=\"dram\"} 0\n"),
            HasSubstr("tier_capacity_bytes{medium=\"device 8:0\",tier="
                      "\"file\"} 0\n")));
}

TEST_F(CountedServiceTest, CountsErrorsByTheirCause) {
  const JobObserver observer = counted_.Observer();
  for (const int error : {EIO, ENOSPC, EDQUOT, EBADMSG, EINVAL, EPERM}) {
    observer.on_failed_move(error);
  }
  observer.on_refused(absl::ResourceExhaustedError("too many"));
  EXPECT_THAT(
      Page(),
      AllOf(HasSubstr("failed_moves_total{cause=\"io\"} 1\n"),
            HasSubstr("failed_moves_total{cause=\"no-space\"} 2\n"),
            HasSubstr("failed_moves_total{cause=\"checksum\"} 1\n"),
            HasSubstr("failed_moves_total{cause=\"refused\"} 1\n"),
            HasSubstr("failed_moves_total{cause=\"other\"} 1\n"),
            HasSubstr("refused_jobs_total{code=\"RESOURCE_EXHAUSTED\"} 1\n")));
}

TEST_F(CountedServiceTest, ComparesStepsWithTheirPrediction) {
  v1::StepTelemetry step;
  step.set_mode(v1::STEP_MODE_PLAN);
  step.set_predicted_duration_ns(2);
  step.set_duration_ns(3);
  counted_.ReportSteps({step});
  step.set_fallbacks(1);
  counted_.ReportSteps({step});
  EXPECT_THAT(
      Page(),
      AllOf(HasSubstr("stowage_agent_step_prediction_ratio_count 1\n"),
            HasSubstr("stowage_agent_step_prediction_ratio_sum 1.5\n")));
}

TEST_F(CountedServiceTest, AModeThatThisAgentDoesNotKnowIsUnspecified) {
  v1::StepTelemetry step;
  step.set_mode(static_cast<v1::StepMode>(99));
  counted_.ReportSteps({step});
  EXPECT_THAT(Page(),
              HasSubstr("stowage_agent_steps_total{mode=\"unspecified\"} 1\n"));
}

TEST_F(CountedServiceTest, PlansCountByHowAskingEnded) {
  service_.SetAnswer([](const PlanQuery&) { return v1::Plan(); });
  EXPECT_TRUE(counted_.MakePlan({}).ok());
  service_.SetAnswer(
      [](const PlanQuery&) { return absl::UnavailableError("away"); });
  EXPECT_FALSE(counted_.MakePlan({}).ok());
  EXPECT_THAT(
      Page(),
      AllOf(HasSubstr("stowage_agent_plans_total{code=\"OK\"} 1\n"),
            HasSubstr("stowage_agent_plans_total{code=\"UNAVAILABLE\"} 1\n"),
            HasSubstr("stowage_agent_plan_duration_seconds_count 1\n")));
}

}  // namespace
}  // namespace stowage::agent
