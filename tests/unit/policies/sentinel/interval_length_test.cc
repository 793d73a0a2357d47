#include "policies/sentinel/interval_length.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/layered_step.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

// Returns a system that copies one byte a nanosecond.
MemorySystem ByteANanosecond() {
  MemorySystem system = *PresetMemorySystem("optane");
  system.copies = {
      {.from_tier = 1,
       .to_tier = 0,
       .points = {{.buffer_bytes = 1, .bytes_per_second = 1'000'000'000}}}};
  return system;
}

TEST(IntervalLengthTest, EquationOneHoldsWhereTensorsFitBesideShortLivedOnes) {
  const std::vector<IntervalDemand> demands = {
      {.wanted_bytes = 60, .short_lived_bytes = 30},
      {.wanted_bytes = 10, .short_lived_bytes = 80}};
  EXPECT_TRUE(SatisfiesSpaceConstraint(demands, 91));
  EXPECT_FALSE(SatisfiesSpaceConstraint(demands, 90));
}

TEST(IntervalLengthTest, EquationTwoSumsTheMigrationThatKernelsDoNotHide) {
  const std::vector<IntervalDemand> demands = {
      {.short_lived_bytes = 100, .duration_ns = 500},
      {.short_lived_bytes = 300, .duration_ns = 2000}};
  // 900 ns of copies against 500; 700 against 2000 hide wholly.
  EXPECT_EQ(ExposedMigrationNs(demands, ByteANanosecond(), 1000), 400);
}

TEST(IntervalLengthTest, ALongIntervalHidesMore) {
  const Graph graph = TrainingStepGraph(30, 1);
  const MemorySystem system = *PresetMemorySystem("optane");
  const Layers layers = FindLayers(graph);
  const std::vector<int64_t> kernel_ns = AllFastKernelNs(graph, system);
  const IntervalMeter meter(graph, layers, kernel_ns);
  int64_t before_ns = std::numeric_limits<int64_t>::max();
  for (LayerIndex length : {1, 2, 4, 8, 16}) {
    const int64_t exposed_ns =
        ExposedMigrationNs(meter.Measure(length), system, 200 * kMiB);
    EXPECT_LE(exposed_ns, before_ns) << length;
    before_ns = exposed_ns;
  }
}

TEST(IntervalLengthTest, OffersOnlyLengthsThatSatisfyEquationOne) {
  const Graph graph = TrainingStepGraph(30, 1);
  const MemorySystem system = *PresetMemorySystem("optane");
  const Layers layers = FindLayers(graph);
  const std::vector<int64_t> kernel_ns = AllFastKernelNs(graph, system);
  const IntervalMeter meter(graph, layers, kernel_ns);
  const int64_t fast_bytes = 120 * kMiB;
  const IntervalLengths lengths =
      FindIntervalLengths(graph, system, layers, kernel_ns, fast_bytes);
  EXPECT_TRUE(lengths.satisfy_space);
  ASSERT_GT(lengths.best.size(), 2);
  for (LayerIndex length : lengths.best) {
    EXPECT_TRUE(SatisfiesSpaceConstraint(meter.Measure(length), fast_bytes))
        << length;
  }
  const LayerIndex longest =
      *std::max_element(lengths.best.begin(), lengths.best.end());
  EXPECT_FALSE(
      SatisfiesSpaceConstraint(meter.Measure(longest + 1), fast_bytes));
}

TEST(IntervalLengthTest, ShortLengthsStandInWhereNoneSatisfiesEquationOne) {
  LayeredStep step({1, 2, 3});
  step.Read(1, step.AddPersistent(kMiB));
  const MemorySystem system = *PresetMemorySystem("optane");
  const IntervalLengths lengths =
      FindIntervalLengths(step.graph(), system, FindLayers(step.graph()),
                          AllFastKernelNs(step.graph(), system), kMiB / 2);
  EXPECT_FALSE(lengths.satisfy_space);
  EXPECT_EQ(lengths.best.size(), 3);
}

TEST(IntervalLengthTest, WhatIsBornInAnIntervalIsNotWantedFromBefore) {
  LayeredStep step({1, 2, 3});
  const TensorIndex born = step.Add(kMiB, 1, 2);
  step.Write(1, born);
  step.Read(2, born);
  const Layers layers = FindLayers(step.graph());
  const std::vector<int64_t> kernel_ns = {1, 1, 1};
  const auto demands =
      IntervalMeter(step.graph(), layers, kernel_ns).Measure(1);
  EXPECT_EQ(demands[1].wanted_bytes, 0);
  EXPECT_EQ(demands[2].wanted_bytes, kMiB);
}

}  // namespace
}  // namespace stowage::policies
