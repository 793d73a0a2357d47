#include "policies/intervals/layers.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/layered_step.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;

TEST(LayersTest, ForwardAndBackwardPassOfALayerAreTwo) {
  const LayeredStep step({0, 0, 1, 1, 0});
  const Layers layers = FindLayers(step.graph());
  EXPECT_THAT(layers.first_kernel, ElementsAre(0, 2, 4));
  EXPECT_THAT(layers.of_kernel, ElementsAre(0, 0, 1, 1, 2));
}

TEST(LayersTest, EachKernelIsALayerWhereTheGraphTellsNone) {
  const LayeredStep step({0, 0, 0});
  EXPECT_EQ(FindLayers(step.graph()).count(), 3);
}

TEST(LayersTest, ATensorOfOneLayerIsShortLived) {
  LayeredStep step({0, 0, 1, 1});
  const TensorIndex within = step.Add(1, 2, 3);
  const TensorIndex across = step.Add(1, 1, 2);
  const Layers layers = FindLayers(step.graph());
  EXPECT_TRUE(IsShortLived(step.graph().tensors[within], layers));
  EXPECT_FALSE(IsShortLived(step.graph().tensors[across], layers));
  EXPECT_EQ(LivenessInLayers(step.graph().tensors[across], layers), 2);
}

TEST(LayersTest, WhatLivesOnIntoTheNextStepIsLongLived) {
  LayeredStep step({0, 1, 2});
  const TensorIndex weight = step.AddPersistent(1);
  const TensorIndex wraps = step.Add(1, 2, 0);
  const Layers layers = FindLayers(step.graph());
  EXPECT_FALSE(IsShortLived(step.graph().tensors[weight], layers));
  EXPECT_FALSE(IsShortLived(step.graph().tensors[wraps], layers));
  EXPECT_EQ(LivenessInLayers(step.graph().tensors[weight], layers), 3);
  EXPECT_EQ(LivenessInLayers(step.graph().tensors[wraps], layers), 2);
}

TEST(LayersTest, TheLastIntervalHasTheLayersThatAreLeft) {
  const LayeredStep step({1, 2, 2, 3, 4, 5});
  const Intervals intervals = DivideIntoIntervals(FindLayers(step.graph()), 2);
  EXPECT_EQ(intervals.count(), 3);
  EXPECT_THAT(intervals.first_kernel, ElementsAre(0, 3, 5, 6));
  EXPECT_THAT(intervals.of_kernel, ElementsAre(0, 0, 0, 1, 1, 2));
}

}  // namespace
}  // namespace stowage::policies
