#include "agents/engine/interference.h"

#include <memory>
#include <string>

#include "agents/engine/trial_kernels.h"
#include "agents/tiers/tier_spec.h"
#include "gtest/gtest.h"
#include "timing/bell.h"

namespace stowage::agent {
namespace {

std::unique_ptr<TierProvider> TrialTier(const std::string& spec) {
  return *MakeTierProvider(*ParseTierSpec(spec));
}

// How much is a matter of the host and its load.
TEST(InterferenceTest, IsNeverNegativeAndHasTheRangeOfMemorySystems) {
  const CalibrationOptions options = {.buffer_bytes = {1 << 20},
                                      .repetitions = 3};
  const auto rooms =
      MakeTrialRooms(*TrialTier("dram"), *TrialTier("file:/tmp"), options);
  ASSERT_TRUE(rooms.ok()) << rooms.status();
  const Bell never;
  const auto slowed = MeasureSlowdowns(Mover(&*rooms, &never), options);
  ASSERT_TRUE(slowed.ok()) << slowed.status();
  for (const v1::Slowdown& slowdown : {slowed->out, slowed->in}) {
    EXPECT_GE(slowdown.compute(), 0);
    EXPECT_LE(slowdown.compute(), 16);
    EXPECT_GE(slowdown.memory(), 0);
    EXPECT_LE(slowdown.memory(), 16);
  }
}

TEST(InterferenceTest, ACopyThatFailsIsAnError) {
  const CalibrationOptions options = {.buffer_bytes = {1 << 20},
                                      .repetitions = 1};
  const std::vector<TierRoom> none;
  const Bell never;
  EXPECT_FALSE(MeasureSlowdowns(Mover(&none, &never), options).ok());
}

TEST(TrialKernelsTest, KernelsTakeTime) {
  TrialKernels kernels(/*threads=*/2);
  EXPECT_GT(kernels.ComputeNs(), 100'000);
  EXPECT_GT(kernels.MemoryNs(), 100'000);
}

}  // namespace
}  // namespace stowage::agent
