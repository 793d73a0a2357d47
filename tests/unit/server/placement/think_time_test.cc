#include "server/placement/think_time.h"

#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "policies/registry.h"

namespace stowage {
namespace {

class ThinkTimeTest : public testing::Test {
 protected:
  // Returns the think time of a step of so many kernels of this duration.
  absl::Duration Of(const std::string& policy, int kernels,
                    absl::Duration duration) {
    policies::Graph graph;
    graph.kernels.resize(kernels);
    for (policies::Kernel& kernel : graph.kernels) {
      kernel.gap_ns = absl::ToInt64Nanoseconds(duration);
    }
    return ThinkTime(request_, **policies::MakePolicy(policy), graph);
  }

  PlanRequest request_{.system = *policies::PresetMemorySystem("file"),
                       .brief = true};
};

TEST_F(ThinkTimeTest, ABriefPlanGetsTwoSteps) {
  EXPECT_EQ(Of("annealed-search", 100, absl::Milliseconds(2)),
            absl::Milliseconds(400));
}

TEST_F(ThinkTimeTest, ShortStepsAndManyKernelsGetEnoughForAGoodPlan) {
  EXPECT_EQ(Of("annealed-search", 10, absl::Microseconds(1)),
            absl::Milliseconds(200));
  EXPECT_EQ(Of("annealed-search", 3000, absl::Microseconds(1)),
            absl::Milliseconds(600));
}

TEST_F(ThinkTimeTest, LongStepsAreWorthAThoroughPlan) {
  EXPECT_EQ(Of("annealed-search", 100, absl::Milliseconds(20)),
            absl::ZeroDuration());
}

TEST_F(ThinkTimeTest, APolicyThatNeedsItsTimeHasIt) {
  EXPECT_EQ(Of("autotm-static", 10, absl::Microseconds(1)),
            absl::ZeroDuration());
}

TEST_F(ThinkTimeTest, WhatTheCallerSaysCounts) {
  request_.think_time = absl::Seconds(3);
  EXPECT_EQ(Of("annealed-search", 10, absl::Microseconds(1)), absl::Seconds(3));
  request_ = {.system = request_.system};
  EXPECT_EQ(Of("annealed-search", 10, absl::Microseconds(1)),
            absl::ZeroDuration());
}

}  // namespace
}  // namespace stowage
