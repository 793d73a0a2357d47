#include "policies/planning/window_planner.h"

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/baselines/belady.h"
#include "policies/model/graph_proto.h"
#include "policies/model/presets.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

constexpr KernelIndex kStreaming = 1;

// Three kernels use a tensor of 20 MiB each, and the one in the middle 100 MiB
// beside it.
Graph OneKernelStreams() {
  Graph graph;
  graph.name = "one-streams";
  const auto profile = [](Kernel kernel) {
    kernel.profile.fast_inputs_fast_outputs = {1'000'000,
                                               DurationSource::kMeasured};
    return kernel;
  };
  graph.tensors = {{.size_bytes = 100 * kMiB,
                    .kind = TensorKind::kWeight,
                    .persistent = true},
                   {.size_bytes = 20 * kMiB,
                    .kind = TensorKind::kWeight,
                    .persistent = true}};
  for (KernelIndex k = 0; k < 3; ++k) {
    Kernel kernel{.name = "kernel"};
    if (k == kStreaming) kernel.operands.push_back({.tensor = 0, .read = true});
    kernel.operands.push_back({.tensor = 1, .read = true});
    graph.kernels.push_back(profile(kernel));
  }
  return graph;
}

class WindowPlannerTest : public testing::Test {
 protected:
  Plan MakePlan(int64_t limit_bytes) {
    const auto plan =
        WindowPlanner(std::make_unique<BeladyPolicy>())
            .MakePlan(graph_, file_, {.fast_limit_bytes = limit_bytes});
    EXPECT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(VerifyPlan(graph_, file_, *plan), absl::OkStatus());
    return *plan;
  }

  const Graph graph_ = OneKernelStreams();
  const MemorySystem file_ = *PresetMemorySystem("file");
};

TEST_F(WindowPlannerTest, TheKernelThatStreamsHasAWindow) {
  const Plan plan = MakePlan(60 * kMiB);
  EXPECT_EQ(plan.graph_id, GraphId(graph_));
  ASSERT_EQ(plan.streams.size(), 1);
  EXPECT_EQ(plan.streams[0].kernel, kStreaming);
  EXPECT_EQ(plan.streams[0].window_bytes, 40 * kMiB);
  EXPECT_THAT(plan.allocations, testing::IsEmpty());
}

TEST_F(WindowPlannerTest, OthersUseTheRoomOfTheWindowAtOtherTimes) {
  // The window has all of it, and then the 20 MiB have room again.
  const Plan plan = MakePlan(22 * kMiB);
  ASSERT_EQ(plan.streams.size(), 1);
  EXPECT_THAT(plan.streams[0].tensors, testing::ElementsAre(0, 1));
  EXPECT_EQ(plan.streams[0].window_bytes, 22 * kMiB);
  EXPECT_THAT(plan.moves, testing::SizeIs(2));
}

TEST_F(WindowPlannerTest, WhereNothingStreamsThePlanIsThatOfThePolicy) {
  const Plan plan = MakePlan(130 * kMiB);
  EXPECT_THAT(plan.streams, testing::IsEmpty());
  EXPECT_TRUE(plan.fits);
}

TEST_F(WindowPlannerTest, SaysTheLeastLimitAsThePolicyDoes) {
  const auto plan = WindowPlanner(std::make_unique<BeladyPolicy>())
                        .MakePlan(graph_, file_, {.fast_limit_bytes = 4096});
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace stowage::policies
