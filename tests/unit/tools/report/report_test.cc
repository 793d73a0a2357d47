#include "tools/stowage/report/report.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/stowage/report/report_text.h"

namespace stowage::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

JobReport JobWithSteps(int32_t pid, int count) {
  JobReport job{.pid = pid, .policy = "belady", .limit_bytes = 900 << 20};
  for (int i = 0; i < count; ++i) {
    job.steps.push_back({.index = i,
                         .mode = i == 0 ? StepMode::kDemand : StepMode::kPlan,
                         .kind = 2,
                         .kernel_count = 40,
                         .duration_ns = 1720000000,
                         .predicted = {.step_ns = 1700000000,
                                       .gaps_ns = 7,
                                       .stall_ns = 8,
                                       .stream_ns = 9,
                                       .slowdown_ns = 11},
                         .stall_ns = 5,
                         .fast_peak_bytes = 850 << 20,
                         .moved_in_bytes = 3,
                         .moved_out_bytes = 4,
                         .hints_taken = 5,
                         .hints_ignored = 6,
                         .limit_bytes = 900 << 20,
                         .times = {.kernels_ns = 1700000000,
                                   .gaps_ns = 15000000,
                                   .stall_in_ns = 3,
                                   .stall_out_ns = 2},
                         .beside = {.out_ns = 12, .in_ns = 13},
                         .processor_ns = 9,
                         .page_faults = 10,
                         .overheads = Overheads{11, 12, 13}});
  }
  return job;
}

TEST(ReportTest, HasTheDocumentedFieldsAsNumbers) {
  JobReport job = JobWithSteps(17, 2);
  job.events.push_back({3, 12, "agent-lost", "connection reset"});
  const nlohmann::json json =
      ReportToJson(MakeRunReport({job}, "python3 train.py", 0));
  EXPECT_EQ(json["policy"], "belady");
  EXPECT_EQ(json["limit_bytes"], 900 << 20);
  const nlohmann::json expected = {{"index", 1},
                                   {"mode", "plan"},
                                   {"kind", 2},
                                   {"phase", nullptr},
                                   {"kernel_count", 40},
                                   {"duration_ns", 1720000000},
                                   {"predicted_duration_ns", 1700000000},
                                   {"stall_ns", 5},
                                   {"fast_peak_bytes", 850 << 20},
                                   {"moved_in_bytes", 3},
                                   {"moved_out_bytes", 4},
                                   {"hints_taken", 5},
                                   {"hints_ignored", 6},
                                   {"plan_skip", nullptr},
                                   {"plan_median_ns", 0},
                                   {"limit_bytes", 900 << 20},
                                   {"times",
                                    {{"kernels_ns", 1700000000},
                                     {"gaps_ns", 15000000},
                                     {"stall_in_ns", 3},
                                     {"stall_out_ns", 2},
                                     {"faults_ns", 0},
                                     {"emulated_ns", 0},
                                     {"plan_wait_ns", 0},
                                     {"boundary_ns", 4999995}}},
                                   {"beside_out_ns", 12},
                                   {"beside_in_ns", 13},
                                   {"predicted_gaps_ns", 7},
                                   {"predicted_stall_ns", 8},
                                   {"predicted_stream_ns", 9},
                                   {"predicted_slowdown_ns", 11},
                                   {"processor_ns", 9},
                                   {"page_faults", 10},
                                   {"system_ns", 11},
                                   {"mapping_ns", 12},
                                   {"agent_processor_ns", 13}};
  EXPECT_EQ(json["steps"][1], expected);
  EXPECT_TRUE(json["steps"][1]["duration_ns"].is_number_integer());
  EXPECT_EQ(json["events"][0]["reason"], "agent-lost");
  EXPECT_EQ(json["events"][0]["step"], 3);
  EXPECT_EQ(json["events"][0]["kernel"], 12);
}

TEST(ReportTest, SaysWhatWasExpectedOfTheSteps) {
  JobReport job = JobWithSteps(17, 2);
  EXPECT_TRUE(
      ReportToJson(MakeRunReport({job}, "train", 0))["forecast"].is_null());
  job.forecast = Forecast{.planned = true,
                          .alone_step_ns = 100,
                          .step_ns = 107,
                          .line = "planned by belady: ..."};
  const RunReport report = MakeRunReport({job}, "train", 0);
  const nlohmann::json expected = {{"planned", true},
                                   {"slowdown", 1.07},
                                   {"alone_step_ns", 100},
                                   {"step_ns", 107},
                                   {"kernel", -1},
                                   {"least_limit_bytes", 0},
                                   {"line", "planned by belady: ..."}};
  EXPECT_EQ(ReportToJson(report)["forecast"], expected);
  EXPECT_THAT(ReportToText(report),
              HasSubstr("; 1.07x the time of training alone expected"));
}

TEST(ReportTest, SaysNothingOfProcessesThatNeverTrainedBesideOneThatDid) {
  const JobReport idle = JobWithSteps(18, 0);
  EXPECT_THAT(ReportToText(MakeRunReport({JobWithSteps(17, 9), idle}, "t", 0)),
              AllOf(HasSubstr("process 17"), Not(HasSubstr("process 18"))));
  EXPECT_THAT(ReportToText(MakeRunReport({idle}, "t", 0)),
              HasSubstr("process 18: 0 steps"));
}

TEST(ReportTest, SaysThatDemandModeWasFasterThanThePlan) {
  JobReport job = JobWithSteps(17, 9);
  EXPECT_THAT(ReportToText(MakeRunReport({job}, "train", 0)),
              Not(HasSubstr("without their plan")));
  job.steps[4].plan_skip = PlanSkip::kDemandTrial;
  for (int i = 5; i < 8; ++i) {
    job.steps[i].mode = StepMode::kDemand;
    job.steps[i].duration_ns = 170'000'000 + i;
    job.steps[i].plan_skip = PlanSkip::kDemandFaster;
    job.steps[i].plan_median_ns = 250'000'000;
  }
  job.steps[8].mode = StepMode::kProfile;  // of another kind, as it turned out
  job.steps[8].duration_ns = 900'000'000;
  job.steps[8].plan_skip = PlanSkip::kDemandFaster;
  const RunReport report = MakeRunReport({job}, "train", 0);
  EXPECT_THAT(ReportToText(report),
              HasSubstr("3 steps ran without their plan: demand mode was "
                        "faster when both were tried (they took 170 ms, "
                        "planned ones 250 ms)\n"));
  const nlohmann::json steps = ReportToJson(report)["steps"];
  EXPECT_EQ(steps[4]["plan_skip"], "demand-trial");
  EXPECT_EQ(steps[5]["plan_skip"], "demand-faster");
  EXPECT_EQ(steps[5]["plan_median_ns"], 250'000'000);
}

TEST(ReportTest, SaysHowLongTheStepsOfAPhaseTook) {
  JobReport job = JobWithSteps(17, 4);
  EXPECT_THAT(ReportToText(MakeRunReport({job}, "train", 0)),
              Not(HasSubstr("phase")));
  for (const int i : {0, 1, 2}) job.steps[i].phase = i < 2 ? "warmup" : "train";
  job.steps[2].duration_ns = 20000000;
  const RunReport report = MakeRunReport({job}, "train", 0);
  EXPECT_THAT(ReportToText(report),
              HasSubstr("stowage:   phase warmup: 2 steps, median 1.72 s\n"
                        "stowage:   phase train: 1 step, 20 ms\n"));
  EXPECT_EQ(ReportToJson(report)["steps"][0]["phase"], "warmup");
}

TEST(ReportTest, PutsTheJobWithTheMostStepsAtTheTop) {
  const nlohmann::json json = ReportToJson(
      MakeRunReport({JobWithSteps(1, 1), JobWithSteps(2, 5)}, "launch", 0));
  EXPECT_EQ(json["pid"], 2);
  EXPECT_EQ(json["jobs"].size(), 2);
  EXPECT_EQ(json["jobs"][1]["pid"], 1);
}

TEST(ReportTest, SaysWhenNothingTrained) {
  const RunReport report = MakeRunReport({}, "true", 7);
  EXPECT_THAT(ReportToText(report), HasSubstr("no process"));
  const nlohmann::json json = ReportToJson(report);
  EXPECT_TRUE(json["steps"].is_array());
  EXPECT_EQ(json["exit_status"], 7);
  EXPECT_EQ(json["lower_bound_ns"], 0);
}

TEST(ReportTest, SaysWhereToLookForReportsThatANamedAgentLeaves) {
  RunReport report = MakeRunReport({}, "train", 0);
  report.jobs_are_elsewhere = true;
  EXPECT_THAT(ReportToText(report), HasSubstr("--agent-report-dir"));
}

TEST(ReportTest, NamesNoReportOfAJobThatDidNotBegin) {
  RunReport report = MakeRunReport({}, "train", /*exit_status=*/78);
  report.jobs_are_elsewhere = true;
  EXPECT_EQ(ReportToText(report),
            "stowage: no process of the command trained through Stowage\n");
}

TEST(ReportTest, HasTheLowerBoundThatWasComputed) {
  RunReport report = MakeRunReport({JobWithSteps(17, 3)}, "train", 0);
  EXPECT_THAT(ReportToText(report), Not(HasSubstr("no plan of")));
  report.lower_bound_ns = 1610000000;
  EXPECT_EQ(ReportToJson(report)["lower_bound_ns"], 1610000000);
  EXPECT_THAT(ReportToText(report), HasSubstr("less than 1.61 s\n"));
}

TEST(ReportTest, SummarisesAJobForPeople) {
  const std::string text =
      ReportToText(MakeRunReport({JobWithSteps(17, 3)}, "train", 0));
  EXPECT_THAT(text, HasSubstr("3 steps (1 demand, 0 profile, 2 plan)"));
  EXPECT_THAT(text, HasSubstr("last step 1.72 s, predicted 1.70 s"));
  EXPECT_THAT(text, HasSubstr("fast peak 850 MiB of 900 MiB allowed"));
}

TEST(ReportTest, TellsTheFastPeakOfEveryStep) {
  JobReport job = JobWithSteps(17, 3);
  job.steps[1].fast_peak_bytes = 890 << 20;
  EXPECT_THAT(ReportToText(MakeRunReport({job}, "train", 0)),
              HasSubstr("fast peak 890 MiB of 900 MiB allowed\n"));
  job.steps[0].fast_peak_bytes = int64_t{2250} << 20;
  EXPECT_THAT(ReportToText(MakeRunReport({job}, "train", 0)),
              HasSubstr("fast peak 890 MiB of 900 MiB allowed, but 2.20 GiB of "
                        "900 MiB in step 0\n"));
  job.limit_bytes = 0;
  EXPECT_THAT(ReportToText(MakeRunReport({job}, "train", 0)),
              HasSubstr("fast peak 2.20 GiB, no limit\n"));
}

TEST(ReportTest, SaysWhoPlanned) {
  EXPECT_THAT(ReportToText(MakeRunReport({JobWithSteps(17, 3)}, "train", 0)),
              HasSubstr("2 plan); planned by belady; last step"));
  EXPECT_THAT(ReportToText(MakeRunReport({JobWithSteps(17, 1)}, "train", 0)),
              Not(HasSubstr("planned by")));
}

TEST(ReportTest, SaysThatAnotherPolicyThanTheOneAskedForPlanned) {
  RunReport report = MakeRunReport({JobWithSteps(17, 3)}, "train", 0);
  report.requested_policy = "belady";
  EXPECT_THAT(ReportToText(report), Not(HasSubstr("in time")));
  report.requested_policy = "deeptm";
  EXPECT_THAT(ReportToText(report),
              HasSubstr("planned by belady, since deeptm had no plan in time"));
}

}  // namespace
}  // namespace stowage::cli
