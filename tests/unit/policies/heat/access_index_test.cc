#include "policies/heat/access_index.h"

#include "gtest/gtest.h"
#include "tests/unit/policies/layered_step.h"

namespace stowage::policies {
namespace {

TEST(AccessIndexTest, CountsAnInputThatIsReadSeveralTimesSeveralTimes) {
  LayeredStep step({0, 0, 0, 0});
  const TensorIndex tensor = step.Add(4096, 0, 3);
  step.Write(0, tensor);
  step.Read(1, tensor, /*accesses=*/3);
  step.Read(3, tensor);
  const AccessIndex accesses(step.graph());
  EXPECT_EQ(accesses.FutureAccesses(tensor, 0), 5);
  EXPECT_EQ(accesses.FutureAccesses(tensor, 1), 4);
  EXPECT_EQ(accesses.FutureAccesses(tensor, 2), 1);
}

TEST(AccessIndexTest, DistanceIsZeroAtTheKernelThatAccesses) {
  LayeredStep step({0, 0, 0, 0});
  const TensorIndex tensor = step.Add(4096, 0, 3);
  step.Write(0, tensor);
  step.Read(2, tensor);
  const AccessIndex accesses(step.graph());
  EXPECT_EQ(accesses.FutureDistance(tensor, 0), 0);
  EXPECT_EQ(accesses.FutureDistance(tensor, 1), 1);
  EXPECT_EQ(accesses.FutureDistance(tensor, 2), 0);
}

TEST(AccessIndexTest, WithoutAFurtherAccessTheDistanceIsTheWholeStep) {
  LayeredStep step({0, 0, 0, 0});
  const TensorIndex tensor = step.Add(4096, 0, 3);
  step.Write(0, tensor);
  const AccessIndex accesses(step.graph());
  EXPECT_EQ(accesses.FutureAccesses(tensor, 1), 0);
  EXPECT_EQ(accesses.FutureDistance(tensor, 1), 4);
}

TEST(AccessIndexTest, WeightsAreUsedAgainInTheNextStep) {
  LayeredStep step({0, 0, 0, 0});
  const TensorIndex weight = step.AddPersistent(4096);
  step.Read(1, weight, 2);
  const AccessIndex accesses(step.graph());
  EXPECT_EQ(accesses.FutureAccesses(weight, 3), 2);
  EXPECT_EQ(accesses.FutureDistance(weight, 3), 2);  // kernels 3, 0, then 1
  EXPECT_EQ(accesses.Lifetime(weight), 4);
}

// A gradient that is made late in one step and applied early in the next.
TEST(AccessIndexTest, WrappingTensorsAreSeenUpToTheirDeath) {
  LayeredStep step({0, 0, 0, 0, 0});
  const TensorIndex gradient = step.Add(4096, /*birth=*/3, /*death=*/1);
  step.Read(1, gradient);
  step.Write(3, gradient);
  const AccessIndex accesses(step.graph());
  EXPECT_EQ(accesses.Lifetime(gradient), 4);
  EXPECT_EQ(accesses.FutureAccesses(gradient, 3), 2);
  EXPECT_EQ(accesses.FutureDistance(gradient, 4), 2);
  // At kernel 0 the write of kernel 3 belongs to the tensor's next life.
  EXPECT_EQ(accesses.FutureAccesses(gradient, 0), 1);
  EXPECT_EQ(accesses.FutureDistance(gradient, 0), 1);
}

}  // namespace
}  // namespace stowage::policies
