#include "policies/redl/redl.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/baselines/first_touch.h"
#include "policies/intervals/layers.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/redl/locality.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/layered_step.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

PlanOptions TwentyPercent(const Graph& graph) {
  return {.fast_limit_bytes = ComputeLiveness(graph).peak_bytes / 5};
}

TEST(RedlTest, ShortLivedTensorsAreNeverMigrated) {
  const Graph graph = TrainingStepGraph(30, 2);
  const Layers layers = FindLayers(graph);
  const MemorySystem system = *PresetMemorySystem("redl");
  const auto plan = RedlPolicy().MakePlan(graph, system, TwentyPercent(graph));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus());
  ASSERT_FALSE(plan->moves.empty());
  for (const Move& move : plan->moves) {
    EXPECT_FALSE(IsShortLived(graph.tensors[move.tensor], layers));
  }
}

// The paper has 19 % better locality than NUMA's first touch, and is at most
// 9.6 % slower than fast memory alone.
TEST(RedlTest, HasMoreLocalityThanFirstTouch) {
  const Graph graph = TrainingStepGraph(40, 1);
  const MemorySystem system = *PresetMemorySystem("redl");
  const auto redl = RedlPolicy().MakePlan(graph, system, TwentyPercent(graph));
  const auto numa =
      FirstTouchPolicy().MakePlan(graph, system, TwentyPercent(graph));
  ASSERT_TRUE(redl.ok() && numa.ok());
  EXPECT_GT(ComputeDataLocality(graph, *redl).overall,
            ComputeDataLocality(graph, *numa).overall);
  EXPECT_LT(redl->prediction.step_time_ns, numa->prediction.step_time_ns);
}

// Fetches are late, so kernels use absent tensors in slow memory.
TEST(RedlTest, AccessesSlowMemoryDirectlyInsteadOfWaiting) {
  LayeredStep step({1, 2, 3, 4}, /*kernel_ns=*/1000);
  const TensorIndex weight = step.AddPersistent(64 * kMiB);
  const TensorIndex other = step.AddPersistent(32 * kMiB);
  step.Read(1, weight);
  step.Read(3, other);
  const auto plan =
      RedlPolicy().MakePlan(step.graph(), *PresetMemorySystem("redl"),
                            {.fast_limit_bytes = 70 * kMiB});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_LT(plan->prediction.locality, 1.0);
  EXPECT_EQ(plan->prediction.stall_ns, 0);
}

TEST(RedlTest, TensorsAreBornSlowWhereTheProfileSaysItCostsNothing) {
  LayeredStep step({1, 2, 3, 4, 5, 6});
  const TensorIndex activation = step.Add(kMiB, 0, 5);
  step.Write(0, activation);
  step.Read(5, activation);
  step.Read(3, step.AddPersistent(2 * kMiB));
  Graph cheap = step.graph();
  cheap.kernels[0].profile.fast_inputs_slow_outputs =
      cheap.kernels[0].profile.fast_inputs_fast_outputs;
  const MemorySystem system = *PresetMemorySystem("redl");
  const PlanOptions options{.fast_limit_bytes = 2 * kMiB + kMiB / 2};
  const auto dear_plan = RedlPolicy().MakePlan(step.graph(), system, options);
  const auto cheap_plan = RedlPolicy().MakePlan(cheap, system, options);
  ASSERT_TRUE(dear_plan.ok() && cheap_plan.ok());
  EXPECT_EQ(dear_plan->allocations[0].at.tier, kFastTier);
  EXPECT_EQ(cheap_plan->allocations[0].at.tier, 1);
}

TEST(RedlTest, StagesOperandsWhereSlowMemoryCannotBeAccessed) {
  const Graph graph = TrainingStepGraph(20, 1);
  const MemorySystem file = *PresetMemorySystem("file");
  const auto plan = RedlPolicy().MakePlan(graph, file, TwentyPercent(graph));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(VerifyPlan(graph, file, *plan), absl::OkStatus());
  EXPECT_EQ(plan->prediction.locality, 1.0);
  EXPECT_THAT(plan->notes, Contains(HasSubstr("staged for the kernel")));
}

TEST(RedlTest, TellsItsPeriodAndLocality) {
  const Graph graph = TrainingStepGraph(20, 1);
  const auto plan = RedlPolicy().MakePlan(graph, *PresetMemorySystem("redl"),
                                          TwentyPercent(graph));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->notes, Contains(HasSubstr("of 60 layers")));
  EXPECT_THAT(plan->notes, Contains(HasSubstr("Data locality")));
}

}  // namespace
}  // namespace stowage::policies
