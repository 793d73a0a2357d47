#include "agents/engine/both_ways.h"

#include <memory>
#include <string>

#include "agents/tiers/tier_spec.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

std::unique_ptr<TierProvider> MakeTier(const std::string& spec) {
  return *MakeTierProvider(*ParseTierSpec(spec));
}

TEST(BothWaysTest, CopiesAreNoFasterThanTheMedium) {
  const auto both =
      MeasureBothWays(*MakeTier("dram"), *MakeTier("emulated:optane"),
                      {.buffer_bytes = {64 << 10, 1 << 20}, .repetitions = 3});
  ASSERT_TRUE(both.ok()) << both.status();
  ASSERT_EQ(both->size(), 2u);
  EXPECT_EQ((*both)[1].buffer_bytes, 1 << 20);
  // A thread copies 283 MB/s out and 735 MB/s in.
  for (const BothWays& point : *both) {
    EXPECT_GT(point.out_bytes_per_second, 0);
    EXPECT_LE(point.out_bytes_per_second, 290'000'000 * HostCores());
    EXPECT_GT(point.in_bytes_per_second, 0);
    EXPECT_LE(point.in_bytes_per_second, 750'000'000 * HostCores());
  }
}

}  // namespace
}  // namespace stowage::agent
