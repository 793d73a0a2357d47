#include "tools/stowage/report/session_file.h"

#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <vector>

#include "client_sdk/session/packed_report.h"
#include "client_sdk/session/session.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/stowage/process/temp_directory.h"

namespace stowage::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SessionFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::make_unique<TempDirectory>(*TempDirectory::Make());
    report_ = std::make_unique<session::Report>();
    report_->magic = session::kMagic;
    report_->version = session::kVersion;
    report_->pid = 17;
    std::strcpy(report_->job_id, "node-17-1");
    std::strcpy(report_->policy, "belady");
  }

  void AddStep(uint32_t mode, int64_t duration_ns) {
    const uint64_t n = report_->steps.written++;
    report_->steps.entries[n % session::kStepEntries] = {
        .index = static_cast<int64_t>(n),
        .mode = mode,
        .duration_ns = duration_ns};
  }

  std::string WriteBytes(const std::string& name, const std::string& bytes) {
    std::string path = directory_->path() + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  std::string Write(const std::string& name) {
    return WriteBytes(name, session::PackReport(*report_));
  }

  absl::StatusOr<JobReport> Read() {
    return ReadSessionFile(Write("run-17.session"));
  }

  std::unique_ptr<TempDirectory> directory_;
  std::unique_ptr<session::Report> report_;
};

TEST_F(SessionFileTest, ReadsStepsAndHead) {
  AddStep(session::kStepDemand, 300);
  AddStep(session::kStepProfile, 200);
  AddStep(session::kStepPlan, 100);
  report_->limit_bytes = 4096;
  const absl::StatusOr<JobReport> job = Read();
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->job_id, "node-17-1");
  EXPECT_EQ(job->pid, 17);
  EXPECT_EQ(job->policy, "belady");
  EXPECT_EQ(job->limit_bytes, 4096);
  ASSERT_EQ(job->steps.size(), 3);
  EXPECT_EQ(job->steps[1].mode, StepMode::kProfile);
  EXPECT_EQ(job->steps[2].duration_ns, 100);
  EXPECT_EQ(job->dropped_steps, 0);
}

TEST_F(SessionFileTest, ReadsWhatAStepCostBesideItsKernels) {
  AddStep(session::kStepPlan, 100);
  session::StepRecord& step = report_->steps.entries[0];
  step.system_ns = 3;
  step.mapping_ns = 4;
  step.agent_processor_ns = 5;
  const absl::StatusOr<JobReport> job = Read();
  ASSERT_TRUE(job.ok()) << job.status();
  const Overheads expected{
      .system_ns = 3, .mapping_ns = 4, .agent_processor_ns = 5};
  EXPECT_EQ(job->steps.at(0).overheads, expected);
}

TEST_F(SessionFileTest, ReadsThePhaseNoFurtherThanItsEnd) {
  AddStep(session::kStepPlan, 100);
  AddStep(session::kStepPlan, 100);
  std::strcpy(report_->steps.entries[0].phase, "warmup");
  std::memset(report_->steps.entries[1].phase, 'x', session::kPhaseBytes);
  const absl::StatusOr<JobReport> job = Read();
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->steps.at(0).phase, "warmup");
  EXPECT_EQ(job->steps.at(1).phase, std::string(session::kPhaseBytes, 'x'));
}

TEST_F(SessionFileTest, NumbersKindsOfStepAsTheyAppear) {
  for (const uint64_t signature : {70, 30, 70, 50}) {
    AddStep(session::kStepPlan, 100);
    report_->steps.entries[report_->steps.written - 1].signature = signature;
  }
  const absl::StatusOr<JobReport> job = Read();
  ASSERT_TRUE(job.ok()) << job.status();
  std::vector<int32_t> kinds;
  for (const Step& step : job->steps) kinds.push_back(step.kind);
  EXPECT_THAT(kinds, ElementsAre(0, 1, 0, 2));
}

TEST_F(SessionFileTest, KeepsTheLastStepsOfALogThatWrappedAround) {
  for (uint64_t n = 0; n < session::kStepEntries + 5; ++n) {
    AddStep(session::kStepPlan, 1);
  }
  const absl::StatusOr<JobReport> job = Read();
  ASSERT_TRUE(job.ok());
  EXPECT_EQ(job->steps.size(), session::kStepEntries);
  EXPECT_EQ(job->steps.front().index, 5);
  EXPECT_EQ(job->dropped_steps, 5);
}

TEST_F(SessionFileTest, ReadsWhatWasExpectedOfTheSteps) {
  EXPECT_FALSE(Read()->forecast.has_value());
  report_->forecast.alone_step_ns = 100;
  report_->forecast.step_ns = 1300;
  report_->forecast.kernel = 24;
  report_->forecast.least_limit_bytes = 4096;
  std::strcpy(report_->forecast.line, "no plan: ...");
  report_->forecast.kind = session::kForecastNoPlan;
  const absl::StatusOr<JobReport> job = Read();
  ASSERT_TRUE(job.ok() && job->forecast.has_value()) << job.status();
  EXPECT_FALSE(job->forecast->planned);
  EXPECT_EQ(job->forecast->Slowdown(), 13);
  EXPECT_EQ(job->forecast->kernel, 24);
  EXPECT_EQ(job->forecast->least_limit_bytes, 4096);
  EXPECT_EQ(job->forecast->line, "no plan: ...");
}

TEST_F(SessionFileTest, LeavesOutAForecastThatNoAgentWrote) {
  report_->forecast.kind = 3;
  EXPECT_FALSE(Read()->forecast.has_value());
  report_->forecast.kind = session::kForecastPlan;
  report_->forecast.step_ns = -1;
  EXPECT_FALSE(Read()->forecast.has_value());
}

TEST_F(SessionFileTest, LeavesOutTimesWhoseSumsOverflow) {
  AddStep(session::kStepPlan, 300);
  AddStep(session::kStepPlan, 300);
  for (int64_t* ns : {&report_->steps.entries[1].times.kernels_ns,
                      &report_->steps.entries[1].times.gaps_ns}) {
    *ns = std::numeric_limits<int64_t>::max();
  }
  report_->kernels.entries[0].planned_ns = kMostKernelNs + 1;
  report_->kernels.written = 1;
  const absl::StatusOr<JobReport> job = Read();
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->steps.size(), 1);
  EXPECT_EQ(job->dropped_steps, 1);
  EXPECT_TRUE(job->kernels.empty());
}

TEST_F(SessionFileTest, LeavesOutTornSteps) {
  AddStep(session::kStepPlan, 100);
  AddStep(99, 100);
  AddStep(session::kStepPlan, -1);
  const absl::StatusOr<JobReport> job = Read();
  ASSERT_TRUE(job.ok());
  EXPECT_EQ(job->steps.size(), 1);
  EXPECT_EQ(job->dropped_steps, 2);
}

TEST_F(SessionFileTest, SurvivesAHostileCounter) {
  report_->steps.written = ~uint64_t{0};
  report_->process_events.written = ~uint64_t{0};
  const absl::StatusOr<JobReport> job = Read();
  ASSERT_TRUE(job.ok());
  EXPECT_GE(job->dropped_steps, 0);
}

TEST_F(SessionFileTest, ReadsNoFurtherThanAStringWithoutAnEnd) {
  std::memset(report_->policy, 'x', sizeof(report_->policy));
  const absl::StatusOr<JobReport> job = Read();
  ASSERT_TRUE(job.ok());
  EXPECT_EQ(job->policy, std::string(sizeof(report_->policy), 'x'));
}

TEST_F(SessionFileTest, MergesTheEventsOfProcessAndAgentByStep) {
  report_->agent_events.entries[0] = {.step = 2, .kernel = -1};
  std::strcpy(report_->agent_events.entries[0].reason, "service-lost");
  report_->agent_events.written = 1;
  report_->process_events.entries[0] = {.step = 1, .kernel = 7};
  std::strcpy(report_->process_events.entries[0].reason, "other-kernel");
  report_->process_events.written = 1;
  const absl::StatusOr<JobReport> job = Read();
  ASSERT_TRUE(job.ok());
  ASSERT_EQ(job->events.size(), 2);
  EXPECT_EQ(job->events[0].reason, "other-kernel");
  EXPECT_EQ(job->events[0].kernel, 7);
  EXPECT_EQ(job->events[1].reason, "service-lost");
}

TEST_F(SessionFileTest, SaysWhatIsWrongWithAFile) {
  const auto error = [](const std::string& path) {
    return std::string(ReadSessionFile(path).status().message());
  };
  EXPECT_THAT(error(WriteBytes("short.session", std::string(100, 'x'))),
              HasSubstr("100 bytes"));
  EXPECT_THAT(error(directory_->path() + "/none"), HasSubstr("cannot be read"));
  AddStep(session::kStepPlan, 100);
  const std::string whole = session::PackReport(*report_);
  EXPECT_THAT(error(WriteBytes("less", whole.substr(0, whole.size() - 1))),
              HasSubstr("not have the length"));
  EXPECT_THAT(error(WriteBytes("more", whole + "x")),
              HasSubstr("not have the length"));
  report_->version = 99;
  EXPECT_THAT(error(Write("version.session")), HasSubstr("version 99"));
  report_->magic = 1;
  EXPECT_THAT(error(Write("magic.session")), HasSubstr("not a session report"));
}

TEST_F(SessionFileTest, ReadsTheFilesOfOneRunAndKeepsTheDamagedApart) {
  Write("run-1-17.session");
  WriteBytes("run-1-18.session", "0123456789");
  Write("run-2-19.session");
  Write("run-1-20.tmp");
  const Sessions sessions = ReadSessions(directory_->path(), "run-1");
  EXPECT_EQ(sessions.jobs.size(), 1);
  EXPECT_EQ(sessions.damaged.size(), 1);
}

}  // namespace
}  // namespace stowage::cli
