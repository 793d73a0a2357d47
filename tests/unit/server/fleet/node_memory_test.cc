#include "server/fleet/node_memory.h"

#include <limits>

#include "gtest/gtest.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

TEST(NodeMemoryTest, NodesOfOneKindMayDifferInSizesAndBandwidths) {
  v1::MemorySystem larger = TwoTiers();
  larger.mutable_tiers(0)->set_capacity_bytes(int64_t{1} << 40);
  larger.mutable_tiers(1)->mutable_read(0)->set_bytes_per_second(5'000'000);
  const NodeMemory one = NodeMemoryOf(TwoTiers(), 0);
  const NodeMemory other = NodeMemoryOf(larger, 0);
  EXPECT_EQ(one.kind, other.kind);
  EXPECT_LT(one.copies.in_ns_per_byte, other.copies.in_ns_per_byte);
}

TEST(NodeMemoryTest, AnotherProcessorOrTierIsAnotherKind) {
  const NodeMemory one = NodeMemoryOf(TwoTiers(), 0);
  v1::MemorySystem other = TwoTiers();
  other.set_processor("another");
  EXPECT_NE(NodeMemoryOf(other, 0).kind, one.kind);
  other = TwoTiers();
  other.mutable_tiers(1)->set_addressable(false);
  EXPECT_NE(NodeMemoryOf(other, 0).kind, one.kind);
}

TEST(NodeMemoryTest, TheTotalOfTheAgentCountsBeforeTheTiersCapacity) {
  v1::MemorySystem system = TwoTiers();
  EXPECT_EQ(NodeMemoryOf(system, 0).fast_bytes,
            std::numeric_limits<int64_t>::max());
  system.mutable_tiers(0)->set_capacity_bytes(64);
  EXPECT_EQ(NodeMemoryOf(system, 0).fast_bytes, 64);
  EXPECT_EQ(NodeMemoryOf(system, 48).fast_bytes, 48);
}

TEST(NodeMemoryTest, AMalformedSystemHasNoKind) {
  EXPECT_TRUE(NodeMemoryOf({}, 48).kind.empty());
}

}  // namespace
}  // namespace stowage
