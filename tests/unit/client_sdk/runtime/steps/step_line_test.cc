#include "client_sdk/runtime/steps/step_line.h"

#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

using ::testing::HasSubstr;

TEST(StepLineTest, HasWhatTheStepCameTo) {
  session::StepRecord record{.index = 12,
                             .mode = session::kStepPlan,
                             .kernel_count = 9,
                             .duration_ns = 1'021'180'999,
                             .predicted = {.step_ns = 20'000'000},
                             .stall_ns = 6'601'000,
                             .fast_peak_bytes = 40,
                             .moved_in_bytes = 10,
                             .moved_out_bytes = 20,
                             .limit_bytes = 50,
                             .times = {.kernels_ns = 1000, .gaps_ns = 2000}};
  std::strcpy(record.phase, "warmup");
  EXPECT_EQ(StepLine(record, {.job_id = "node-17-1",
                              .pid = 17,
                              .rank = 0,
                              .time_ns = 5'000'000'000,
                              .kind = 2,
                              .surprise = "kernel-sequence"}),
            R"({"job":"node-17-1","pid":17,"rank":0,"time_s":5.000000,)"
            R"("step":12,"kind":2,"mode":"plan","phase":"warmup",)"
            R"("kernel_count":9,"duration_s":1.021180,)"
            R"("predicted_s":0.020000,"stall_s":0.006601,)"
            R"("kernels_s":0.000001,"gaps_s":0.000002,"faults_s":0.000000,)"
            R"("plan_wait_s":0.000000,"moved_in_bytes":10,)"
            R"("moved_out_bytes":20,"fast_peak_bytes":40,"limit_bytes":50,)"
            R"("plan_skip":null,"surprise":"kernel-sequence"})");
}

TEST(StepLineTest, WhatThereIsNoneOfIsNull) {
  const std::string line = StepLine({.mode = session::kStepDemand}, {});
  for (const char* field :
       {R"("job":null)", R"("rank":null)", R"("mode":"demand")",
        R"("phase":null)", R"("predicted_s":null)", R"("limit_bytes":null)",
        R"("plan_skip":null)", R"("surprise":null)"}) {
    EXPECT_THAT(line, HasSubstr(field));
  }
}

TEST(StepLineTest, SaysWhyAPlanDidNotDrive) {
  EXPECT_THAT(StepLine({.plan_skip = session::kDemandFaster}, {}),
              HasSubstr(R"("plan_skip":"demand-faster")"));
  EXPECT_THAT(StepLine({.plan_skip = session::kDemandTrial}, {}),
              HasSubstr(R"("plan_skip":"demand-trial")"));
}

TEST(StepLineTest, EscapesTextAndReadsNoFurtherThanItsArray) {
  session::StepRecord record{};
  std::memset(record.phase, '"', sizeof(record.phase));
  record.phase[1] = '\n';
  record.phase[2] = '\\';
  const std::string line = StepLine(record, {});
  EXPECT_THAT(line, HasSubstr(R"("phase":"\"\u000a\\\")"));
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace stowage::runtime
