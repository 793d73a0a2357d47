#include "policies/redl/locality.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/layered_step.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;

TEST(LocalityTest, CountsRequestsThatFindTheirTensorInFastMemory) {
  LayeredStep step({1, 2, 3, 4});
  const TensorIndex weight = step.AddPersistent(1 << 20);
  const TensorIndex born_slow = step.Add(1, 1, 2);
  step.Read(0, weight);
  step.Read(1, weight);
  step.Write(1, born_slow);
  step.Read(2, weight);
  step.Read(2, born_slow);
  Plan plan;
  plan.initial = {{weight, {1, 0}}};
  plan.allocations = {{born_slow, {1, 1 << 20}}};
  // Under way at kernel 0 and 1, there from kernel 2 on.
  plan.moves = {{weight, {1, 0}, {kFastTier, 0}, 0, 2}};
  const DataLocality locality = ComputeDataLocality(step.graph(), plan);
  EXPECT_THAT(locality.by_kernel, ElementsAre(0, 0, 0.5, 1));
  EXPECT_DOUBLE_EQ(locality.overall, 0.2);
}

}  // namespace
}  // namespace stowage::policies
