#include "server/fleet/job_registry.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

v1::Job NewJob(const std::string& id, const std::string& node = "host-1") {
  v1::Job job;
  job.set_job_id(id);
  job.set_node(node);
  return job;
}

v1::StepTelemetry Step(const std::string& job_id, int64_t duration_ns,
                       int64_t index = 0) {
  v1::StepTelemetry step;
  step.set_job_id(job_id);
  step.set_index(index);
  step.set_duration_ns(duration_ns);
  step.set_predicted_duration_ns(duration_ns - 1);
  step.set_fast_peak_bytes(duration_ns * 10);
  step.set_fallbacks(1);
  return step;
}

class JobRegistryTest : public ::testing::Test {
 protected:
  JobRegistryTest() {
    for (const char* node : {"host-1", "host-2"}) {
      nodes_.Register(node, {}, kStart).IgnoreError();
    }
  }

  std::vector<std::string> Ids(const std::string& node,
                               std::optional<JobNumber> before, int limit) {
    std::vector<std::string> ids;
    for (const NumberedJob& job : jobs_.List(node, before, limit, kStart)) {
      ids.push_back(job.job.job_id());
    }
    return ids;
  }

  NodeRegistry nodes_{kLease};
  JobRegistry jobs_{&nodes_};
};

TEST_F(JobRegistryTest, AStartedJobRuns) {
  ASSERT_TRUE(jobs_.Start(NewJob("j"), kStart).ok());
  const v1::Job job = *jobs_.Get("j", kStart);
  EXPECT_EQ(job.state(), v1::JOB_STATE_RUNNING);
  EXPECT_EQ(job.started_at().seconds(), absl::ToUnixSeconds(kStart));
}

TEST_F(JobRegistryTest, StartingAgainUpdatesWhatIsSetAndKeepsTheRest) {
  v1::Job job = NewJob("j");
  job.set_command("python3 train.py");
  ASSERT_TRUE(jobs_.Start(job, kStart).ok());
  v1::Job news = NewJob("j");
  news.set_fast_limit_bytes(100);
  news.set_graph_id("g");
  ASSERT_TRUE(jobs_.Start(news, kStart + absl::Seconds(9)).ok());
  const v1::Job known = *jobs_.Get("j", kStart);
  EXPECT_EQ(known.command(), "python3 train.py");
  EXPECT_EQ(known.fast_limit_bytes(), 100);
  EXPECT_EQ(known.graph_id(), "g");
  EXPECT_EQ(known.started_at().seconds(), absl::ToUnixSeconds(kStart));
}

TEST_F(JobRegistryTest, IgnoresStateTimesAndTelemetryOfTheCaller) {
  v1::Job job = NewJob("j");
  job.set_state(v1::JOB_STATE_FINISHED);
  job.set_steps(7);
  job.mutable_started_at()->set_seconds(1);
  ASSERT_TRUE(jobs_.Start(job, kStart).ok());
  const v1::Job known = *jobs_.Get("j", kStart);
  EXPECT_EQ(known.state(), v1::JOB_STATE_RUNNING);
  EXPECT_EQ(known.steps(), 0);
  EXPECT_EQ(known.started_at().seconds(), absl::ToUnixSeconds(kStart));
}

TEST_F(JobRegistryTest, RefusesJobsOfUnknownNodes) {
  const absl::Status status = jobs_.Start(NewJob("j", "host-3"), kStart);
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("no node 'host-3'"));
  EXPECT_TRUE(absl::IsNotFound(jobs_.Get("j", kStart).status()));
}

TEST_F(JobRegistryTest, RefusesAnIdThatAnotherNodeHas) {
  ASSERT_TRUE(jobs_.Start(NewJob("j", "host-1"), kStart).ok());
  EXPECT_TRUE(
      absl::IsAlreadyExists(jobs_.Start(NewJob("j", "host-2"), kStart)));
  EXPECT_EQ(jobs_.Get("j", kStart)->node(), "host-1");
  EXPECT_TRUE(jobs_.IsJobOf("host-1", "j"));
  EXPECT_FALSE(jobs_.IsJobOf("host-2", "j"));
  EXPECT_TRUE(jobs_.IsJobOf("host-2", "another"));
}

TEST_F(JobRegistryTest, FinishingTwiceKeepsTheFirstTime) {
  ASSERT_TRUE(jobs_.Start(NewJob("j"), kStart).ok());
  ASSERT_TRUE(jobs_.Finish("j", kStart + absl::Seconds(1)).ok());
  ASSERT_TRUE(jobs_.Finish("j", kStart + absl::Seconds(9)).ok());
  const v1::Job job = *jobs_.Get("j", kStart);
  EXPECT_EQ(job.state(), v1::JOB_STATE_FINISHED);
  EXPECT_EQ(job.finished_at().seconds(), absl::ToUnixSeconds(kStart) + 1);
}

TEST_F(JobRegistryTest, ALateStartDoesNotReviveAFinishedJob) {
  ASSERT_TRUE(jobs_.Start(NewJob("j"), kStart).ok());
  ASSERT_TRUE(jobs_.Finish("j", kStart).ok());
  ASSERT_TRUE(jobs_.Start(NewJob("j"), kStart).ok());
  EXPECT_EQ(jobs_.Get("j", kStart)->state(), v1::JOB_STATE_FINISHED);
}

TEST_F(JobRegistryTest, UnknownJobsAreNotFound) {
  EXPECT_TRUE(absl::IsNotFound(jobs_.Finish("j", kStart)));
  EXPECT_TRUE(absl::IsNotFound(jobs_.Get("j", kStart).status()));
}

TEST_F(JobRegistryTest, AJobIsLostWhenItsNodeFallsSilent) {
  ASSERT_TRUE(nodes_.Register("host-1", {}, kStart).ok());
  ASSERT_TRUE(jobs_.Start(NewJob("j"), kStart).ok());
  const absl::Time later = kStart + 2 * kLease;
  EXPECT_EQ(jobs_.Get("j", later)->state(), v1::JOB_STATE_LOST);
  EXPECT_EQ(jobs_.CountRunning(later), 0);
}

TEST_F(JobRegistryTest, HeartbeatsOrStepsKeepAJobRunning) {
  const absl::Time later = kStart + 2 * kLease;
  ASSERT_TRUE(nodes_.Register("host-1", {}, kStart).ok());
  ASSERT_TRUE(jobs_.Start(NewJob("beat", "host-1"), kStart).ok());
  ASSERT_TRUE(jobs_.Start(NewJob("step", "host-2"), kStart).ok());
  ASSERT_TRUE(nodes_.Heartbeat("host-1", 1, later).ok());
  jobs_.RecordStep("host-2", Step("step", 5), later);
  EXPECT_EQ(jobs_.CountRunning(later), 2);
}

TEST_F(JobRegistryTest, StepsAddUpAndTheLastOneShows) {
  ASSERT_TRUE(jobs_.Start(NewJob("j"), kStart).ok());
  jobs_.RecordStep("host-1", Step("j", 50, 0), kStart);
  jobs_.RecordStep("host-1", Step("j", 40, 3), kStart);
  const v1::Job job = *jobs_.Get("j", kStart);
  EXPECT_EQ(job.steps(), 2);
  EXPECT_EQ(job.last_step_duration_ns(), 40);
  EXPECT_EQ(job.last_predicted_duration_ns(), 39);
  EXPECT_EQ(job.fast_peak_bytes(), 500);
  EXPECT_EQ(job.fallbacks(), 2);
}

TEST_F(JobRegistryTest, AStepThatWasSentAgainCountsOnce) {
  EXPECT_EQ(jobs_.RecordStep("host-1", Step("j", 50, 7), kStart),
            StepOutcome::kTaken);
  for (int64_t index : {7, 6, 0}) {
    EXPECT_EQ(jobs_.RecordStep("host-1", Step("j", 40, index), kStart),
              StepOutcome::kRepeated);
  }
  EXPECT_EQ(jobs_.Get("j", kStart)->steps(), 1);
  EXPECT_EQ(jobs_.Get("j", kStart)->last_step_duration_ns(), 50);
}

TEST_F(JobRegistryTest, AStepOfAnUnknownJobBringsItBack) {
  jobs_.RecordStep("host-1", Step("j", 5), kStart);
  EXPECT_EQ(jobs_.Get("j", kStart)->node(), "host-1");
}

TEST_F(JobRegistryTest, ListsNewestFirstByNodeAndInPages) {
  ASSERT_TRUE(jobs_.Start(NewJob("a", "host-1"), kStart).ok());
  ASSERT_TRUE(jobs_.Start(NewJob("b", "host-2"), kStart).ok());
  ASSERT_TRUE(jobs_.Start(NewJob("c", "host-1"), kStart).ok());
  EXPECT_THAT(Ids("", std::nullopt, 10), ElementsAre("c", "b", "a"));
  EXPECT_THAT(Ids("host-1", std::nullopt, 10), ElementsAre("c", "a"));
  const JobNumber newest = jobs_.List("", std::nullopt, 1, kStart)[0].number;
  EXPECT_THAT(Ids("", newest, 1), ElementsAre("b"));
}

TEST_F(JobRegistryTest, ForgetsTheOldestJobThatDoesNotRun) {
  ASSERT_TRUE(jobs_.Start(NewJob("runs"), kStart).ok());
  ASSERT_TRUE(jobs_.Start(NewJob("done"), kStart).ok());
  ASSERT_TRUE(jobs_.Finish("done", kStart).ok());
  for (int i = 2; i < JobRegistry::kMaxJobs; ++i) {
    ASSERT_TRUE(jobs_.Start(NewJob(absl::StrCat("j", i)), kStart).ok());
  }
  ASSERT_TRUE(jobs_.Start(NewJob("late"), kStart).ok());
  EXPECT_TRUE(jobs_.Get("runs", kStart).ok());
  EXPECT_FALSE(jobs_.Get("done", kStart).ok());
  ASSERT_TRUE(jobs_.Start(NewJob("later"), kStart).ok());
  EXPECT_FALSE(jobs_.Get("runs", kStart).ok());
}

}  // namespace
}  // namespace stowage
