#include "client_sdk/runtime/steps/step_kinds.h"

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

TEST(StepKindsTest, NumbersKindsAsTheyAppear) {
  StepKinds kinds;
  EXPECT_EQ(kinds.Of(70), 0);
  EXPECT_EQ(kinds.Of(30), 1);
  EXPECT_EQ(kinds.Of(70), 0);
}

}  // namespace
}  // namespace stowage::runtime
