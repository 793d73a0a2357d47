#include "client_sdk/runtime/plans/unplanned_steps.h"

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

TEST(UnplannedStepsTest, TwelveOfSixteenAreMost) {
  UnplannedSteps steps;
  for (int i = 0; i < 4; ++i) steps.Note(/*has_plan=*/true, 50);
  for (int i = 0; i < 11; ++i) steps.Note(/*has_plan=*/false, 100 + i);
  EXPECT_FALSE(steps.are_most());
  steps.Note(/*has_plan=*/false, 1000);
  EXPECT_TRUE(steps.are_most());
  EXPECT_EQ(steps.median_ns(), 106);
  for (int i = 0; i < 5; ++i) steps.Note(/*has_plan=*/true, 50);
  EXPECT_FALSE(steps.are_most());
}

}  // namespace
}  // namespace stowage::runtime
