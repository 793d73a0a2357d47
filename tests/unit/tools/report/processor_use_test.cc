#include "tools/stowage/report/processor_use.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kMs = 1'000'000;

// Of its 100 ms, 3 pass at boundaries.
Step StepWith(int64_t processor_ms, const Overheads& overheads) {
  return {.duration_ns = 100 * kMs,
          .times = {.kernels_ns = 97 * kMs},
          .processor_ns = processor_ms * kMs,
          .overheads = overheads};
}

TEST(ProcessorUseTest, IsTheMeanOfTheSteps) {
  const auto use =
      MeanUse({StepWith(100, {.system_ns = 10, .agent_processor_ns = kMs}),
               StepWith(300, {.system_ns = 20,
                              .mapping_ns = 6,
                              .agent_processor_ns = 3 * kMs})});
  ASSERT_TRUE(use.has_value());
  EXPECT_EQ(use->job_ns, 200 * kMs);
  EXPECT_EQ(use->system_ns, 15);
  EXPECT_EQ(use->mapping_ns, 3);
  EXPECT_EQ(use->boundary_ns, 3 * kMs);
  EXPECT_EQ(use->agent_ns, 2 * kMs);
  EXPECT_EQ(use->StowageNs(), 5 * kMs);
}

TEST(ProcessorUseTest, StepsThatDoNotSayItDoNotCount) {
  EXPECT_FALSE(MeanUse({}).has_value());
  EXPECT_FALSE(MeanUse({{.processor_ns = 5}}).has_value());
  const auto use = MeanUse({{.processor_ns = 5}, StepWith(100, {})});
  ASSERT_TRUE(use.has_value());
  EXPECT_EQ(use->job_ns, 100 * kMs);
}

TEST(ProcessorUseTest, TheTableHasPartsOfTheJobsProcessorTime) {
  const std::string text = UseToText({.job_ns = 200 * kMs,
                                      .system_ns = 20 * kMs,
                                      .mapping_ns = kMs,
                                      .boundary_ns = 3 * kMs,
                                      .agent_ns = 2 * kMs});
  for (const char* row :
       {"job +200 ms +100.0 %", "  in Linux +20 ms +10.0 %",
        "  mapping calls +1 ms +0.5 %", "boundaries +3 ms +1.5 %",
        "agent +2 ms +1.0 %", "boundaries and agent +5 ms +2.5 %"}) {
    EXPECT_THAT(text, ContainsRegex(row));
  }
}

TEST(ProcessorUseTest, AJobWithoutProcessorTimeHasNoParts) {
  EXPECT_THAT(UseToText({.agent_ns = kMs}), Not(HasSubstr("%")));
}

TEST(ProcessorUseTest, TheDocumentHasAllOfIt) {
  const nlohmann::json expected = {{"processor_ns", 1},
                                   {"system_ns", 2},
                                   {"mapping_ns", 3},
                                   {"boundary_ns", 4},
                                   {"agent_processor_ns", 5}};
  EXPECT_EQ(UseToJson({1, 2, 3, 4, 5}), expected);
}

}  // namespace
}  // namespace stowage::cli
