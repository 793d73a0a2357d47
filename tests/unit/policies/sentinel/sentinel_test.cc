#include "policies/sentinel/sentinel.h"

#include <algorithm>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/baselines/first_touch.h"
#include "policies/baselines/lru.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/plan/plan_proto.h"
#include "policies/sentinel/sentinel_lower_bound.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/layered_step.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

int64_t Share(const Graph& graph, double share) {
  return static_cast<int64_t>(share * ComputeLiveness(graph).peak_bytes);
}

// Returns a training step whose layers have tensors of their own.
Graph GraphWithShortLivedTensors() {
  Graph graph = TrainingStepGraph(30, 2);
  for (KernelIndex k = 0; k + 1 < graph.kernel_count(); ++k) {
    if (graph.kernels[k].layer != graph.kernels[k + 1].layer) continue;
    const TensorIndex t = graph.tensor_count();
    graph.tensors.push_back(
        {.size_bytes = kMiB, .birth_kernel = k, .death_kernel = k + 1});
    graph.kernels[k].operands.push_back({.tensor = t, .write = true});
    graph.kernels[k + 1].operands.push_back({.tensor = t, .read = true});
  }
  return graph;
}

TEST(SentinelTest, ShortLivedTensorsAreFastAndNeverMove) {
  const Graph graph = GraphWithShortLivedTensors();
  const Layers layers = FindLayers(graph);
  const MemorySystem optane = *PresetMemorySystem("optane");
  const int64_t limit =
      std::max(Share(graph, 0.2), SentinelLowerBoundBytes(graph, layers));
  const auto plan =
      SentinelPolicy().MakePlan(graph, optane, {.fast_limit_bytes = limit});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(VerifyPlan(graph, optane, *plan), absl::OkStatus());
  int short_lived = 0;
  for (const Allocation& a : plan->allocations) {
    if (!IsShortLived(graph.tensors[a.tensor], layers)) continue;
    ++short_lived;
    EXPECT_EQ(a.at.tier, kFastTier) << a.tensor;
  }
  EXPECT_GT(short_lived, 20);
  for (const Move& move : plan->moves) {
    EXPECT_FALSE(IsShortLived(graph.tensors[move.tensor], layers));
  }
}

TEST(SentinelTest, ShortLivedTensorsShareTheLowEndOfTheArena) {
  LayeredStep step({1, 1, 2, 2, 3, 3});
  std::set<TensorIndex> short_lived;
  for (KernelIndex k : {0, 2, 4}) {
    const TensorIndex t = step.Add(kMiB, k, k + 1);
    short_lived.insert(t);
    step.Write(k, t);
    step.Read(k + 1, t);
    step.Read(k, step.AddPersistent(2 * kMiB));
  }
  const auto plan =
      SentinelPolicy().MakePlan(step.graph(), *PresetMemorySystem("gpu-pcie"),
                                {.fast_limit_bytes = 5 * kMiB});
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_FALSE(plan->moves.empty());
  for (const Allocation& a : plan->allocations) {
    if (!short_lived.contains(a.tensor)) continue;
    EXPECT_EQ(a.at.offset_bytes, 0) << a.tensor;
  }
}

TEST(SentinelTest, IsFasterThanFirstTouchAndSynchronousEviction) {
  const Graph graph = TrainingStepGraph(40, 1);
  const MemorySystem optane = *PresetMemorySystem("optane");
  const PlanOptions options{.fast_limit_bytes = Share(graph, 0.2)};
  const auto sentinel = SentinelPolicy().MakePlan(graph, optane, options);
  const auto lru = LruPolicy().MakePlan(graph, optane, options);
  const auto first_touch = FirstTouchPolicy().MakePlan(graph, optane, options);
  ASSERT_TRUE(sentinel.ok() && lru.ok() && first_touch.ok());
  EXPECT_LT(sentinel->prediction.step_time_ns, lru->prediction.step_time_ns);
  EXPECT_LT(sentinel->prediction.step_time_ns,
            first_touch->prediction.step_time_ns);
}

TEST(SentinelTest, OnGpusEveryOperandIsFast) {
  const Graph graph = TrainingStepGraph(20, 1);
  const MemorySystem optane = *PresetMemorySystem("optane");
  const auto plan = SentinelGpuPolicy().MakePlan(
      graph, optane, {.fast_limit_bytes = Share(graph, 0.2)});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->prediction.locality, 1.0);
}

TEST(SentinelTest, IsSentinelGpuWhereTheSlowTierIsNotAddressable) {
  const Graph graph = TrainingStepGraph(20, 1);
  const MemorySystem gpu = *PresetMemorySystem("gpu-pcie");
  const PlanOptions options{.fast_limit_bytes = Share(graph, 0.2)};
  auto cpu_plan = SentinelPolicy().MakePlan(graph, gpu, options);
  const auto gpu_plan = SentinelGpuPolicy().MakePlan(graph, gpu, options);
  ASSERT_TRUE(cpu_plan.ok() && gpu_plan.ok());
  cpu_plan->policy = gpu_plan->policy;
  EXPECT_EQ(PlanToProto(*cpu_plan).SerializeAsString(),
            PlanToProto(*gpu_plan).SerializeAsString());
}

TEST(SentinelTest, ObeysAFixedIntervalLength) {
  const Graph graph = TrainingStepGraph(20, 1);
  const auto plan = SentinelPolicy(/*interval_layers=*/5)
                        .MakePlan(graph, *PresetMemorySystem("optane"),
                                  {.fast_limit_bytes = Share(graph, 0.2)});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->notes, Contains(HasSubstr("have 5 of 60 layers")));
}

TEST(SentinelTest, SaysThatALimitIsBelowItsLowerBound) {
  const Graph graph = TrainingStepGraph(20, 1);
  const int64_t bound = SentinelLowerBoundBytes(graph, FindLayers(graph));
  const auto below = SentinelPolicy().MakePlan(
      graph, *PresetMemorySystem("optane"), {.fast_limit_bytes = bound - 4096});
  ASSERT_TRUE(below.ok()) << below.status();
  EXPECT_THAT(below->notes, Contains(HasSubstr("lower bound")));
  const auto at = SentinelPolicy().MakePlan(
      graph, *PresetMemorySystem("optane"), {.fast_limit_bytes = bound});
  ASSERT_TRUE(at.ok()) << at.status();
  EXPECT_THAT(at->notes, Not(Contains(HasSubstr("lower bound"))));
}

TEST(SentinelTest, NamesItsLowerBoundWhenItCannotPlan) {
  const Graph graph = TrainingStepGraph(20, 1);
  const auto plan = SentinelPolicy().MakePlan(
      graph, *PresetMemorySystem("g10-a100"), {.fast_limit_bytes = kMiB});
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kFailedPrecondition);
  const int64_t bound = SentinelLowerBoundBytes(graph, FindLayers(graph));
  EXPECT_THAT(std::string(plan.status().message()),
              HasSubstr(std::to_string(bound)));
}

TEST(SentinelTest, SaysWhenTheTimeLimitCutTheSearchShort) {
  const Graph graph = TrainingStepGraph(40, 1);
  const auto plan =
      SentinelPolicy().MakePlan(graph, *PresetMemorySystem("optane"),
                                {.fast_limit_bytes = Share(graph, 0.3),
                                 .time_limit = absl::Nanoseconds(1)});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->notes, Contains(HasSubstr("time limit")));
}

}  // namespace
}  // namespace stowage::policies
