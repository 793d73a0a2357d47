#include "client_sdk/runtime/moves/fault_waits.h"

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

TEST(FaultWaitsTest, AKernelWithoutFaultsDidNotWait) {
  FaultWaits waits;
  waits.Begin();
  EXPECT_EQ(waits.LongestNs(), 0);
}

TEST(FaultWaitsTest, OneThreadWaitsForEachOfItsFaults) {
  FaultWaits waits;
  waits.Begin();
  waits.Add(/*thread=*/1, 10);
  waits.Add(1, 20);
  EXPECT_EQ(waits.LongestNs(), 30);
}

TEST(FaultWaitsTest, TheThreadThatWaitsLongestCounts) {
  FaultWaits waits;
  waits.Begin();
  for (const pid_t thread : {1, 2, 1, 2, 2}) waits.Add(thread, 10);
  EXPECT_EQ(waits.LongestNs(), 30);
}

TEST(FaultWaitsTest, KernelsBeforeDoNotCount) {
  FaultWaits waits;
  waits.Begin();
  waits.Add(1, 10);
  waits.Begin();
  EXPECT_EQ(waits.LongestNs(), 0);
}

}  // namespace
}  // namespace stowage::runtime
