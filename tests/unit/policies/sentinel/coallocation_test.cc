#include "policies/sentinel/coallocation.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/layered_step.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;

// Three activations from layer 1 to 3, one that lives shorter, a weight and a
// short-lived tensor.
struct Tensors {
  LayeredStep step{{1, 1, 2, 3}};
  TensorIndex seldom = step.Add(kPage, 0, 3);
  TensorIndex often = step.Add(2 * kPage, 1, 3);
  TensorIndex shorter = step.Add(kPage, 0, 2);
  TensorIndex sometimes = step.Add(3 * kPage, 1, 3);
  TensorIndex weight = step.AddPersistent(kPage);
  TensorIndex short_lived = step.Add(kPage, 0, 1);

  Tensors() {
    step.Read(3, seldom);
    step.Read(3, often, 9);
    step.Read(3, sometimes, 4);
    step.Read(2, shorter, 20);
  }
};

TEST(CoallocationTest, GroupsTensorsOfTheSameLayersByAccesses) {
  const Tensors tensors;
  const auto groups = FindCoallocationGroups(tensors.step.graph(),
                                             FindLayers(tensors.step.graph()));
  ASSERT_EQ(groups.size(), 2);
  EXPECT_THAT(groups[0].tensors, ElementsAre(tensors.shorter));
  EXPECT_EQ(groups[1].birth_layer, 0);
  EXPECT_EQ(groups[1].death_layer, 2);
  EXPECT_THAT(groups[1].tensors,
              ElementsAre(tensors.often, tensors.sometimes, tensors.seldom));
}

TEST(CoallocationTest, AddressesOfAGroupFollowEachOtherInItsOrder) {
  const Tensors tensors;
  const Graph& graph = tensors.step.graph();
  std::vector<Residency> residencies = AllFastResidencies(graph);
  CoAllocate(graph, FindLayers(graph), residencies);
  const auto plan =
      BuildPlan(graph, *PresetMemorySystem("optane"),
                {.residencies = residencies, .fast_limit_bytes = 20 * kPage});
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::map<TensorIndex, int64_t> offsets;
  for (const Allocation& a : plan->allocations) {
    offsets[a.tensor] = a.at.offset_bytes;
  }
  EXPECT_EQ(offsets[tensors.sometimes], offsets[tensors.often] + 2 * kPage);
  EXPECT_EQ(offsets[tensors.seldom], offsets[tensors.sometimes] + 3 * kPage);
}

TEST(CoallocationTest, IsDroppedWhereItDoesNotFit) {
  LayeredStep step({1, 1, 2});
  // Side by side, the two need three pages at every kernel of the layer.
  const TensorIndex early = step.Add(2 * kPage, 0, 2);
  const TensorIndex late = step.Add(kPage, 1, 2);
  const TensorIndex workspace = step.Add(kPage, 0, 0);
  std::vector<Residency> residencies = AllFastResidencies(step.graph());
  CoAllocate(step.graph(), FindLayers(step.graph()), residencies);
  EXPECT_GE(residencies[early].block, 0);
  EXPECT_EQ(residencies[early].block, residencies[late].block);
  EXPECT_LT(residencies[workspace].block, 0);
  const auto plan =
      BuildPlan(step.graph(), *PresetMemorySystem("optane"),
                {.residencies = residencies, .fast_limit_bytes = 3 * kPage});
  EXPECT_TRUE(plan.ok()) << plan.status();
}

}  // namespace
}  // namespace stowage::policies
