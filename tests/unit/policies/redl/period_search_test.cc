#include "policies/redl/period_search.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/layered_step.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;

// Returns a step of ten layers, each of which reads a tensor of its own.
LayeredStep TenLayers() {
  LayeredStep step({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10'000'000);
  for (KernelIndex k = 0; k < 10; ++k) step.Read(k, step.AddPersistent(kMiB));
  return step;
}

PeriodSearch Search(const LayeredStep& step, int64_t fast_bytes) {
  const MemorySystem system = *PresetMemorySystem("redl");
  return FindPeriods(step.graph(), system, FindLayers(step.graph()),
                     AllFastKernelNs(step.graph(), system), fast_bytes);
}

TEST(PeriodSearchTest, TakesHalfTheLayersWhenTheySatisfyTheConstraints) {
  const PeriodSearch search = Search(TenLayers(), 5 * kMiB);
  EXPECT_TRUE(search.found);
  EXPECT_THAT(search.tested, ElementsAre(5));
  EXPECT_EQ(search.rounds, 0);
}

TEST(PeriodSearchTest, TestsOneLayerMoreAndOneLessRoundByRound) {
  const PeriodSearch search = Search(TenLayers(), 3 * kMiB);
  EXPECT_TRUE(search.found);
  EXPECT_THAT(search.tested, ElementsAre(5, 6, 4, 7, 3));
  EXPECT_EQ(search.rounds, 2);
}

TEST(PeriodSearchTest, SaysWhenNoPeriodSatisfiesTheConstraints) {
  const PeriodSearch search = Search(TenLayers(), kMiB - 4096);
  EXPECT_FALSE(search.found);
  EXPECT_EQ(search.tested.size(), 10);
}

TEST(PeriodSearchTest, APeriodHasToLastAsLongAsItsFetches) {
  const MemorySystem system = *PresetMemorySystem("redl");
  const int64_t copy_ns = system.CopyDurationNs(1, kFastTier, kMiB);
  IntervalDemand demand{.wanted_bytes = kMiB, .duration_ns = copy_ns};
  EXPECT_TRUE(SatisfiesPeriodConstraints({demand}, system, kMiB));
  --demand.duration_ns;
  EXPECT_FALSE(SatisfiesPeriodConstraints({demand}, system, kMiB));
  demand.duration_ns = copy_ns;
  demand.short_lived_bytes = 1;
  EXPECT_FALSE(SatisfiesPeriodConstraints({demand}, system, kMiB));
}

TEST(PeriodSearchTest, MeasuresTheLastOneAndOthersSpreadOverTheSearch) {
  const PeriodSearch search{.tested = {50, 51, 49, 52, 48, 53, 47}};
  EXPECT_THAT(PeriodsToMeasure(search, 3), ElementsAre(47, 52, 50));
  EXPECT_EQ(PeriodsToMeasure(search, 100).size(), 7);
}

}  // namespace
}  // namespace stowage::policies
