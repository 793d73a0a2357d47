#include "policies/heat/status_table.h"

#include "gtest/gtest.h"
#include "tests/unit/policies/layered_step.h"

namespace stowage::policies {
namespace {

constexpr StatusRecord kAbsent{};

TEST(StatusTableTest, FollowsATensorFromAllocationToDeallocation) {
  LayeredStep step({0, 0, 0, 0, 0});
  const TensorIndex tensor = step.Add(4096, 1, 3);
  Plan plan;
  plan.allocations = {{tensor, {1, 0}}};
  const StatusTable table(step.graph(), plan);
  EXPECT_EQ(table.At(0, tensor), kAbsent);
  EXPECT_EQ(table.At(1, tensor), (StatusRecord{Position::kSlow, false}));
  EXPECT_EQ(table.At(3, tensor), (StatusRecord{Position::kSlow, false}));
  EXPECT_EQ(table.At(4, tensor), kAbsent);
}

TEST(StatusTableTest, AnAsynchronousMigrationMarksTheKernelsItRunsBeside) {
  LayeredStep step({0, 0, 0, 0, 0});
  const TensorIndex weight = step.AddPersistent(4096);
  Plan plan;
  plan.initial = {{weight, {0, 0}}};
  plan.moves = {{weight, {0, 0}, {1, 0}, /*start=*/1, /*deadline=*/3}};
  const StatusTable table(step.graph(), plan);
  EXPECT_EQ(table.At(0, weight), (StatusRecord{Position::kFast, false}));
  EXPECT_EQ(table.At(1, weight), (StatusRecord{Position::kFast, true}));
  EXPECT_EQ(table.At(2, weight), (StatusRecord{Position::kFast, true}));
  EXPECT_EQ(table.At(3, weight), (StatusRecord{Position::kSlow, false}));
}

TEST(StatusTableTest, ASynchronousMigrationBelongsToTheKernelThatWaits) {
  LayeredStep step({0, 0, 0});
  const TensorIndex weight = step.AddPersistent(4096);
  Plan plan;
  plan.initial = {{weight, {1, 0}}};
  plan.moves = {{weight, {1, 0}, {0, 0}, /*start=*/1, /*deadline=*/1}};
  const StatusTable table(step.graph(), plan);
  EXPECT_EQ(table.At(0, weight), (StatusRecord{Position::kSlow, false}));
  EXPECT_EQ(table.At(1, weight), (StatusRecord{Position::kFast, true}));
  EXPECT_EQ(table.At(2, weight), (StatusRecord{Position::kFast, false}));
}

TEST(StatusTableTest, AWrappingTensorLivesTwiceInAStep) {
  LayeredStep step({0, 0, 0, 0});
  const TensorIndex gradient = step.Add(4096, /*birth=*/3, /*death=*/0);
  Plan plan;
  plan.initial = {{gradient, {1, 0}}};
  plan.allocations = {{gradient, {0, 0}}};
  const StatusTable table(step.graph(), plan);
  EXPECT_EQ(table.At(0, gradient).position, Position::kSlow);
  EXPECT_EQ(table.At(1, gradient), kAbsent);
  EXPECT_EQ(table.At(3, gradient).position, Position::kFast);
}

}  // namespace
}  // namespace stowage::policies
