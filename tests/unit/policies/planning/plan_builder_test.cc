#include "policies/planning/plan_builder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;

// Returns a step of two tensors that no kernel uses: they may live in any tier.
Graph Idle() {
  Graph graph;
  graph.name = "idle";
  graph.tensors.assign(2, {.size_bytes = kMiB, .persistent = true});
  graph.kernels.push_back({.name = "compute"});
  return graph;
}

class PlanBuilderTest : public testing::Test {
 protected:
  std::vector<TierIndex> TiersWith(std::vector<TierIndex> first_slow_tier) {
    BuildInput input{.fast_limit_bytes = kMiB};
    input.first_slow_tier = std::move(first_slow_tier);
    const absl::StatusOr<Plan> plan = BuildPlan(graph_, system_, input);
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return {};
    EXPECT_EQ(VerifyPlan(graph_, system_, *plan), absl::OkStatus());
    std::vector<TierIndex> tiers;
    for (const Allocation& initial : plan->initial) {
      tiers.push_back(initial.at.tier);
    }
    return tiers;
  }

  const Graph graph_ = Idle();
  MemorySystem system_ = *PresetMemorySystem("g10-a100");
};

TEST_F(PlanBuilderTest, UsesTheFirstSlowerTierUnlessToldOtherwise) {
  EXPECT_THAT(TiersWith({}), ElementsAre(1, 1));
}

TEST_F(PlanBuilderTest, PlacesTensorsInTheTierThatIsNamed) {
  EXPECT_THAT(TiersWith({1, 2}), ElementsAre(1, 2));
}

TEST_F(PlanBuilderTest, PassesOverATierWithoutRoom) {
  system_.tiers[1].capacity_bytes = kMiB;
  EXPECT_THAT(TiersWith({1, 1}), ElementsAre(1, 2));
}

TEST_F(PlanBuilderTest, DropsAWishThatLeavesATensorWithoutAPlace) {
  system_.tiers[2].capacity_bytes = kMiB;
  EXPECT_THAT(TiersWith({2, 2}), ElementsAre(1, 1));
}

TEST(PlanBuilderPlacesTest, TakesPlacesThatAllResidenciesHave) {
  const MemorySystem system = *PresetMemorySystem("optane");
  Graph graph;
  graph.tensors = {{.size_bytes = 4096, .persistent = true},
                   {.size_bytes = 4096, .persistent = true}};
  graph.kernels.resize(2);
  BuildInput input{.residencies = AllFastResidencies(graph),
                   .fast_limit_bytes = 5 * 4096};
  input.residencies[0].offset_bytes = 3 * 4096;
  input.residencies[1].offset_bytes = 4096;
  std::vector<Residency> misfits(1);
  const absl::StatusOr<Plan> plan = BuildPlan(graph, system, input, &misfits);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_TRUE(misfits.empty());
  EXPECT_EQ(plan->initial[0].at.offset_bytes, 3 * 4096);
  EXPECT_EQ(plan->initial[1].at.offset_bytes, 4096);
  input.residencies[0].offset_bytes = -1;
  EXPECT_NE(BuildPlan(graph, system, input)->initial[0].at.offset_bytes,
            3 * 4096);
}

}  // namespace
}  // namespace stowage::policies
