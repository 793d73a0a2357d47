#include "policies/simulate/plan_usage.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/registry.h"
#include "policies/simulate/simulator.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;

// Returns a step of two kernels: kernel 0 makes tensor 1 from the weight,
// kernel 1 reads both.
Graph TwoKernels() {
  Graph graph;
  graph.tensors = {{.size_bytes = 3 * kPage, .persistent = true},
                   {.size_bytes = kPage, .birth_kernel = 0, .death_kernel = 1}};
  Kernel first, second;
  first.operands = {{.tensor = 0, .read = true}, {.tensor = 1, .write = true}};
  second.operands = {{.tensor = 0, .read = true}, {.tensor = 1, .read = true}};
  graph.kernels = {first, second};
  return graph;
}

TEST(PlanUsageTest, CountsBothEndsOfACopyUnderWay) {
  const MemorySystem system = *PresetMemorySystem("optane");
  Plan plan;
  plan.initial = {{0, {1, 0}}};
  plan.allocations = {{1, {0, 0}}};
  // The weight comes in while kernel 0 runs, and leaves at the end.
  plan.moves = {{0, {1, 0}, {0, kPage}, 0, 1}, {0, {0, kPage}, {1, 0}, 2, 2}};
  const PlanUsage usage = MeasurePlanUsage(TwoKernels(), system, plan);
  EXPECT_THAT(usage.peak_bytes, ElementsAre(4 * kPage, 3 * kPage));
  // Kernel 0 reads 3 pages slow, kernel 1 reads 3 and 1 fast.
  EXPECT_DOUBLE_EQ(usage.input_locality, 4.0 / 7);
  EXPECT_DOUBLE_EQ(usage.output_locality, 1);
}

// The weight is in both tiers while kernel 0 runs, and the place that it came
// from is still its own when it is dropped.
TEST(PlanUsageTest, CountsWhatIsKeptForADrop) {
  const MemorySystem system = *PresetMemorySystem("optane");
  Plan plan;
  plan.initial = {{0, {1, 0}}};
  plan.allocations = {{1, {1, 3 * kPage}}};
  plan.moves = {{0, {1, 0}, {0, 0}, 0, 0, /*keeps_source=*/true, false},
                {0, {0, 0}, {1, 0}, 1, 1, false, /*is_drop=*/true},
                {1, {1, 3 * kPage}, {0, 0}, 1, 1}};
  const PlanUsage usage = MeasurePlanUsage(TwoKernels(), system, plan);
  EXPECT_THAT(usage.peak_bytes, ElementsAre(3 * kPage, 4 * kPage));
  // Kernel 0 reads 3 pages fast, kernel 1 reads 3 slow and 1 fast.
  EXPECT_DOUBLE_EQ(usage.input_locality, 4.0 / 7);
}

TEST(PlanUsageTest, AgreesWithTheSimulatorOnFastMemory) {
  const MemorySystem system = *PresetMemorySystem("optane");
  int compared = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Graph graph = RandomGraph(seed);
    const int64_t limit_bytes = ComputeLiveness(graph).peak_bytes * 7 / 10;
    for (const char* policy :
         {"belady", "sentinel", "first-touch", "annealed-search"}) {
      const auto plan =
          (*MakePolicy(policy))
              ->MakePlan(graph, system, {.fast_limit_bytes = limit_bytes});
      if (!plan.ok()) continue;
      ++compared;
      EXPECT_EQ(MeasurePlanUsage(graph, system, *plan).peak_bytes[kFastTier],
                plan->prediction.fast_peak_bytes)
          << policy << " on graph " << seed;
    }
  }
  EXPECT_GT(compared, 20);
}

TEST(PlanUsageTest, PricesTheMemoryThatIsUsed) {
  const MemorySystem system = *PresetMemorySystem("optane");
  EXPECT_DOUBLE_EQ(*MemoryPriceUsd(system, {2'000'000'000, 1'000'000'000}),
                   2 * 23.81 + 7.85);
  EXPECT_FALSE(MemoryPriceUsd(*PresetMemorySystem("redl"), {1, 0}).has_value());
}

}  // namespace
}  // namespace stowage::policies
