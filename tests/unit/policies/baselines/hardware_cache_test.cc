#include "policies/baselines/hardware_cache.h"

#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/swap/cache_model.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

TEST(CacheModelTest, FillsOnTheFirstAccessAndHitsOnTheSecond) {
  CacheModel cache(8 * kPage, kPage);
  cache.Access(0, 2 * kPage, false);
  EXPECT_EQ(cache.traffic().filled_bytes, 2 * kPage);
  cache.ResetTraffic();
  cache.Access(0, 2 * kPage, false);
  EXPECT_EQ(cache.traffic().hit_bytes, 2 * kPage);
  EXPECT_EQ(cache.traffic().filled_bytes, 0);
}

TEST(CacheModelTest, AddressesThatAreACapacityApartConflict) {
  CacheModel cache(8 * kPage, kPage);
  cache.Access(0, kPage, false);
  cache.Access(8 * kPage, kPage, false);
  cache.ResetTraffic();
  cache.Access(0, kPage, false);
  EXPECT_EQ(cache.traffic().hit_bytes, 0);
  EXPECT_EQ(cache.traffic().filled_bytes, kPage);
}

TEST(CacheModelTest, WritesBackOnlyDirtyPages) {
  CacheModel cache(kPage, kPage);
  cache.Access(0, kPage, true);
  cache.Access(kPage, kPage, false);
  EXPECT_EQ(cache.traffic().written_back_bytes, kPage);
  cache.Access(0, kPage, false);
  EXPECT_EQ(cache.traffic().written_back_bytes, kPage);
}

TEST(CacheModelTest, WithoutCapacityEveryAccessMisses) {
  CacheModel cache(kPage - 1, kPage);
  cache.Access(0, kPage, false);
  cache.Access(0, kPage, true);
  EXPECT_EQ(cache.traffic().filled_bytes, kPage);
  EXPECT_EQ(cache.traffic().written_back_bytes, kPage);
  EXPECT_EQ(cache.traffic().hit_bytes, 0);
}

TEST(HardwareCacheTest, PlansNoMovesAndPredictsTheTrafficOfTheCache) {
  const Graph graph = TrainingStepGraph(20, 1);
  const MemorySystem optane = *PresetMemorySystem("optane");
  const int64_t limit = ComputeLiveness(graph).peak_bytes / 4;
  const auto plan = HardwareCachePolicy().MakePlan(graph, optane,
                                                   {.fast_limit_bytes = limit});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(VerifyPlan(graph, optane, *plan), absl::OkStatus());
  EXPECT_TRUE(plan->moves.empty());
  EXPECT_FALSE(plan->fits);
  EXPECT_GT(plan->prediction.moved_in_bytes, 0);
  EXPECT_GT(plan->prediction.moved_out_bytes, 0);
}

TEST(HardwareCacheTest, TheTimeOfAStepDoesNotRunOver) {
  Graph graph = TrainingStepGraph(20, 1);
  const Kernel kernel = graph.kernels.back();
  graph.kernels.resize(10'000, kernel);
  MemorySystem optane = *PresetMemorySystem("optane");
  optane.tiers[1].read = optane.tiers[1].write = {{1, 1}};
  optane.copies.clear();
  const auto plan =
      HardwareCachePolicy().MakePlan(graph, optane, {.fast_limit_bytes = 8192});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->prediction.step_time_ns, int64_t{1} << 62);
}

TEST(HardwareCacheTest, ALargerCacheIsFaster) {
  const Graph graph = TrainingStepGraph(20, 1);
  const MemorySystem optane = *PresetMemorySystem("optane");
  const int64_t peak = ComputeLiveness(graph).peak_bytes;
  const auto small = HardwareCachePolicy().MakePlan(
      graph, optane, {.fast_limit_bytes = peak / 10});
  const auto large = HardwareCachePolicy().MakePlan(
      graph, optane, {.fast_limit_bytes = peak * 9 / 10});
  ASSERT_TRUE(small.ok() && large.ok());
  EXPECT_LT(large->prediction.step_time_ns, small->prediction.step_time_ns);
}

}  // namespace
}  // namespace stowage::policies
