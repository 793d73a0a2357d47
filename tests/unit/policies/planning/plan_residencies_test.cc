#include "policies/planning/plan_residencies.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/drops.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

// Tensor, boundaries, where to, whether its source is kept and whether it is a
// drop.
using Copy =
    std::tuple<TensorIndex, KernelIndex, KernelIndex, TierIndex, bool, bool>;

std::multiset<Copy> CopiesOf(const Plan& plan) {
  std::multiset<Copy> copies;
  for (const Move& move : plan.moves) {
    copies.insert({move.tensor, move.start_kernel, move.deadline_kernel,
                   move.to.tier, move.keeps_source, move.is_drop});
  }
  return copies;
}

std::multiset<std::pair<TensorIndex, TierIndex>> PlacesOf(
    const std::vector<Allocation>& allocations) {
  std::multiset<std::pair<TensorIndex, TierIndex>> places;
  for (const Allocation& a : allocations) places.insert({a.tensor, a.at.tier});
  return places;
}

// Lists what is allocated in or moved to the fast tier: tensor, boundary,
// offset.
std::multiset<std::tuple<TensorIndex, KernelIndex, int64_t>> FastOffsetsOf(
    const Plan& plan) {
  std::multiset<std::tuple<TensorIndex, KernelIndex, int64_t>> offsets;
  const auto add = [&](TensorIndex t, KernelIndex at, const Placement& place) {
    if (place.tier == kFastTier) offsets.insert({t, at, place.offset_bytes});
  };
  for (const Allocation& a : plan.initial) add(a.tensor, -1, a.at);
  for (const Allocation& a : plan.allocations) add(a.tensor, 0, a.at);
  for (const Move& move : plan.moves) {
    add(move.tensor, move.start_kernel, move.to);
  }
  return offsets;
}

TEST(PlanResidenciesTest, AreWhatThePlanIsBuiltFromAgain) {
  for (const char* name : {"optane", "file"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const Graph graph = RandomGraph(seed);
      const int64_t least = FindLeastLimit(graph, system).bytes;
      const int64_t peak = ComputeLiveness(graph).peak_bytes;
      const auto plan =
          (*MakePolicy("belady"))
              ->MakePlan(graph, system,
                         {.fast_limit_bytes = std::max(least, peak / 2)});
      ASSERT_TRUE(plan.ok()) << plan.status();
      const auto input = BuildInputOf(graph, *plan);
      ASSERT_TRUE(input.has_value());
      const auto rebuilt = BuildPlan(graph, system, *input);
      ASSERT_TRUE(rebuilt.ok()) << rebuilt.status();
      EXPECT_EQ(FastOffsetsOf(*rebuilt), FastOffsetsOf(*plan)) << name << seed;
      const Plan again = SketchPlan(graph, system, *input);
      EXPECT_EQ(CopiesOf(again), CopiesOf(*plan)) << name << seed;
      EXPECT_EQ(PlacesOf(again.initial), PlacesOf(plan->initial));
      EXPECT_EQ(PlacesOf(again.allocations), PlacesOf(plan->allocations));
    }
  }
}

TEST(PlanResidenciesTest, AreWhatAPlanWithDropsIsMadeFromAgain) {
  int drops = 0;
  for (const char* name : {"optane", "file"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const Graph graph = RandomGraph(seed);
      const int64_t least = FindLeastLimit(graph, system).bytes;
      Plan plan = *(*MakePolicy("belady"))
                       ->MakePlan(graph, system, {.fast_limit_bytes = least});
      MakeDrops(graph, plan);
      const auto input = BuildInputOf(graph, plan);
      ASSERT_TRUE(input.has_value());
      Plan again = SketchPlan(graph, system, *input);
      MakeDrops(graph, again);
      EXPECT_EQ(CopiesOf(again), CopiesOf(plan)) << name << seed;
      for (const Move& move : plan.moves) drops += move.is_drop ? 1 : 0;
    }
  }
  EXPECT_GT(drops, 20);
}

TEST(PlanResidenciesTest, KnowsNoInputWhereATensorIsInTwoSlowerTiers) {
  Graph graph;
  graph.tensors = {{.size_bytes = 4096, .persistent = true}};
  graph.kernels.resize(3);
  Plan plan;
  plan.initial = {{.tensor = 0}};
  plan.moves = {{0, {0, 0}, {1, 0}, 0, 1}, {0, {1, 0}, {2, 0}, 1, 2}};
  EXPECT_FALSE(BuildInputOf(graph, plan).has_value());
}

}  // namespace
}  // namespace stowage::policies
