#include "policies/sentinel/sentinel_lower_bound.h"

#include "gtest/gtest.h"
#include "tests/unit/policies/layered_step.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

TEST(SentinelLowerBoundTest,
     IsThePeakOfShortLivedPlusTheLargestLongLivedTensor) {
  LayeredStep step({1, 1, 2, 2});
  step.Add(3 * kPage, 0, 0);
  step.Add(2 * kPage, 0, 1);
  step.Add(4 * kPage, 2, 3);
  step.AddPersistent(7 * kPage);
  step.Add(6 * kPage, 0, 3);
  EXPECT_EQ(SentinelLowerBoundBytes(step.graph(), FindLayers(step.graph())),
            (5 + 7) * kPage);
}

}  // namespace
}  // namespace stowage::policies
