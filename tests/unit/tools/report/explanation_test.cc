#include "tools/stowage/report/explanation.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/stowage/report/report.h"

namespace stowage::cli {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kMs = 1'000'000;

Step PlannedStep(int64_t index, int64_t kernels_ms) {
  return {.index = index,
          .mode = StepMode::kPlan,
          .kind = 1,
          .duration_ns = (kernels_ms + 20) * kMs,
          .predicted = {.step_ns = 100 * kMs,
                        .gaps_ns = 10 * kMs,
                        .stall_ns = 5 * kMs,
                        .stream_ns = 2 * kMs,
                        .slowdown_ns = 3 * kMs},
          .times = {.kernels_ns = kernels_ms * kMs,
                    .gaps_ns = 10 * kMs,
                    .stall_in_ns = 4 * kMs,
                    .stall_out_ns = 1 * kMs},
          .beside = {.out_ns = 30 * kMs, .in_ns = 40 * kMs},
          .processor_ns = 240 * kMs,
          .page_faults = 7,
          .overheads = Overheads{.system_ns = 12 * kMs,
                                 .mapping_ns = 3 * kMs,
                                 .agent_processor_ns = 6 * kMs}};
}

int64_t SumNs(const Explanation& explanation) {
  int64_t sum_ns = 0;
  for (const TimePart& part : explanation.parts) sum_ns += part.measured_ns;
  return sum_ns;
}

TEST(ExplanationTest, TakesTheStepOfMedianDurationOfEachKindAndMode) {
  std::vector<Step> steps = {{.index = 0, .duration_ns = kMs}};
  for (const int64_t kernels_ms : {200, 100, 300}) {
    steps.push_back(PlannedStep(steps.size(), kernels_ms));
  }
  const std::vector<Explanation> explanations = Explain(steps);
  ASSERT_EQ(explanations.size(), 2u);
  EXPECT_EQ(explanations[0].step_count, 3);
  EXPECT_EQ(explanations[0].step.index, 1);
  EXPECT_EQ(explanations[1].step.mode, StepMode::kDemand);
}

TEST(ExplanationTest, TreatsStepsOfDifferentPhasesApart) {
  std::vector<Step> steps = {PlannedStep(0, 100), PlannedStep(1, 200)};
  steps[1].phase = "warmup";
  const std::vector<Explanation> explanations = Explain(steps);
  ASSERT_EQ(explanations.size(), 2u);
  EXPECT_THAT(ExplanationToText(explanations[0]), Not(HasSubstr("in phase")));
  EXPECT_EQ(ExplanationToJson(explanations[0])["phase"], nullptr);
  EXPECT_THAT(ExplanationToText(explanations[1]),
              HasSubstr("plan steps of kind 1 in phase warmup: 1; step 1"));
  EXPECT_EQ(ExplanationToJson(explanations[1])["phase"], "warmup");
}

TEST(ExplanationTest, PartsAddUpToTheStep) {
  const Explanation explanation = Explain({PlannedStep(0, 100)}).front();
  EXPECT_EQ(SumNs(explanation), explanation.step.duration_ns);
}

TEST(ExplanationTest, NamesThePartThatTookMostMoreThanPredicted) {
  EXPECT_THAT(ExplanationToText(Explain({PlannedStep(3, 100)}).front()),
              AllOf(HasSubstr("plan steps of kind 1: 1; step 3"),
                    HasSubstr("20.0 % slower than predicted, by kernels most"),
                    HasSubstr("out for 30 ms and in for 40 ms; they were "
                              "predicted to slow kernels by 3 ms"),
                    HasSubstr("4 ms in and 1 ms out; 2.00 processors"),
                    HasSubstr("7 page faults")));
  EXPECT_THAT(ExplanationToText(Explain({PlannedStep(3, 60)}).front()),
              HasSubstr("no slower than predicted"));
}

TEST(ExplanationTest, AStepWithoutAPlanIsComparedWithNothing) {
  Step step = PlannedStep(0, 100);
  step.mode = StepMode::kDemand;
  step.predicted = {};
  EXPECT_THAT(ExplanationToText(Explain({step}).front()),
              AllOf(HasSubstr("kernels"), Not(HasSubstr("predicted"))));
  EXPECT_EQ(
      ExplanationToJson(Explain({step}).front())["parts"][0]["predicted_ns"],
      nullptr);
}

TEST(ExplanationTest, ReadsWhatARunHasReported) {
  JobReport job{.steps = {PlannedStep(0, 100), PlannedStep(1, 110)},
                .kernels = {{.name = "aten::mm",
                             .duration_ns = 5,
                             .beside = {.out_ns = 1, .in_ns = 2},
                             .planned_ns = 4,
                             .stall_ns = 3,
                             .faults_ns = 2}}};
  const RunReport report = MakeRunReport({job}, "train", 0);
  const auto read = ReadReport(ReportToJson(report).dump());
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->steps.size(), 2u);
  const Step& last = read->steps.back();
  EXPECT_EQ(last.mode, StepMode::kPlan);
  EXPECT_EQ(last.times.kernels_ns, 110 * kMs);
  EXPECT_EQ(last.BoundaryNs(), 5 * kMs);
  EXPECT_EQ(last.beside.in_ns, 40 * kMs);
  EXPECT_EQ(last.predicted.slowdown_ns, 3 * kMs);
  EXPECT_EQ(last.overheads, PlannedStep(1, 110).overheads);
  ASSERT_EQ(read->kernels.size(), 1u);
  EXPECT_EQ(read->kernels[0].name, "aten::mm");
  EXPECT_EQ(read->kernels[0].beside.in_ns, 2);
  EXPECT_EQ(LateNs(read->kernels[0]), 5 + 3 + 2 - 4);
}

TEST(ExplanationTest, SaysWhatProcessorsDidInAllStepsOfTheKind) {
  Step other = PlannedStep(1, 100);
  other.overheads->agent_processor_ns = 10 * kMs;
  const Explanation explanation = Explain({PlannedStep(0, 100), other}).front();
  ASSERT_TRUE(explanation.use.has_value());
  EXPECT_EQ(explanation.use->agent_ns, 8 * kMs);
  EXPECT_THAT(ExplanationToText(explanation),
              ContainsRegex("boundaries and agent +13 ms +5.4 %"));
  EXPECT_EQ(ExplanationToJson(explanation)["mean_use"]["agent_processor_ns"],
            8 * kMs);
}

TEST(ExplanationTest, ExplainsAnOlderReportWithoutWhatProcessorsDid) {
  nlohmann::json report =
      ReportToJson(MakeRunReport({{.steps = {PlannedStep(0, 100)}}}, "t", 0));
  for (const char* name : {"system_ns", "mapping_ns", "agent_processor_ns"}) {
    ASSERT_EQ(report["steps"][0].erase(name), 1u);
  }
  const auto read = ReadReport(report.dump());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_FALSE(read->steps[0].overheads.has_value());
  const Explanation explanation = Explain(read->steps).front();
  EXPECT_THAT(ExplanationToText(explanation), Not(HasSubstr("agent")));
  EXPECT_EQ(ExplanationToJson(explanation)["mean_use"], nullptr);
}

TEST(ExplanationTest, RefusesPartOfWhatProcessorsDid) {
  for (const char* name : {"system_ns", "mapping_ns"}) {
    nlohmann::json report =
        ReportToJson(MakeRunReport({{.steps = {PlannedStep(0, 100)}}}, "t", 0));
    report["steps"][0].erase(name);
    EXPECT_THAT(ReadReport(report.dump()).status().message(), HasSubstr(name));
    report["steps"][0][name] = -1;
    EXPECT_FALSE(ReadReport(report.dump()).ok());
  }
}

TEST(ExplanationTest, NamesTheKernelsThatWereLatest) {
  std::vector<KernelTimes> kernels(
      20, {.name = "aten::relu", .duration_ns = kMs, .planned_ns = kMs});
  kernels[7] = {.name = "aten::mm",
                .duration_ns = 9 * kMs,
                .planned_ns = 4 * kMs,
                .stall_ns = 3 * kMs,
                .faults_ns = 2 * kMs};
  const std::string text = LateKernelsToText(kernels);
  EXPECT_THAT(text,
              AllOf(HasSubstr("100.0 % of what 20 kernels were late"),
                    HasSubstr("aten::mm  +10 ms"), Not(HasSubstr("relu"))));
  EXPECT_EQ(LateKernelsToText({}), "");
}

TEST(ExplanationTest, SaysWhatAReportLacks) {
  const auto without_jobs =
      ReadReport(ReportToJson(MakeRunReport({}, "true", 0)).dump());
  EXPECT_EQ(without_jobs.status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(without_jobs.status().message(), HasSubstr("no steps"));
  for (const std::string text :
       {"", "{", "[]", "{}", R"({"steps": 3})", R"({"steps": [{}]})",
        R"({"steps": [{"index": -1, "times": {}}]})"}) {
    EXPECT_EQ(ReadReport(text).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

}  // namespace
}  // namespace stowage::cli
