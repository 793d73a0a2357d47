#include "server/fleet/node_registry.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

class NodeRegistryTest : public ::testing::Test {
 protected:
  NodeRegistry nodes_{kLease};
};

TEST_F(NodeRegistryTest, ANodeLivesUntilItsLeaseEnds) {
  ASSERT_TRUE(nodes_.Register("host-1", TwoTiers(), kStart).ok());
  EXPECT_TRUE(nodes_.IsAlive("host-1", kStart + kLease));
  EXPECT_FALSE(
      nodes_.IsAlive("host-1", kStart + kLease + absl::Milliseconds(1)));
}

TEST_F(NodeRegistryTest, AHeartbeatRenewsTheLease) {
  ASSERT_TRUE(nodes_.Register("host-1", TwoTiers(), kStart).ok());
  ASSERT_TRUE(nodes_.Heartbeat("host-1", 3, kStart + kLease).ok());
  const absl::Time later = kStart + 2 * kLease;
  const std::vector<v1::NodeSummary> nodes = nodes_.List("", 10, later);
  ASSERT_EQ(nodes.size(), 1);
  EXPECT_TRUE(nodes[0].alive());
  EXPECT_EQ(nodes[0].active_jobs(), 3);
  EXPECT_EQ(nodes[0].last_heartbeat_at().seconds(),
            absl::ToUnixSeconds(kStart + kLease));
  EXPECT_EQ(nodes[0].system().name(), "two-tiers");
}

TEST_F(NodeRegistryTest, AHeartbeatOfAnUnknownNodeIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(nodes_.Heartbeat("host-1", 0, kStart)));
}

TEST_F(NodeRegistryTest, RegisteringAgainReplacesTheSystem) {
  ASSERT_TRUE(nodes_.Register("host-1", TwoTiers(), kStart).ok());
  v1::MemorySystem other = TwoTiers();
  other.set_name("other");
  ASSERT_TRUE(nodes_.Register("host-1", other, kStart).ok());
  const std::vector<v1::NodeSummary> nodes = nodes_.List("", 10, kStart);
  ASSERT_EQ(nodes.size(), 1);
  EXPECT_EQ(nodes[0].system().name(), "other");
}

TEST_F(NodeRegistryTest, ListsByNameAndGoesOnAfterOne) {
  for (const char* name : {"c", "a", "b"}) {
    ASSERT_TRUE(nodes_.Register(name, TwoTiers(), kStart).ok());
  }
  EXPECT_EQ(nodes_.List("", 2, kStart).back().node(), "b");
  ASSERT_EQ(nodes_.List("b", 2, kStart).size(), 1);
  EXPECT_EQ(nodes_.List("b", 2, kStart)[0].node(), "c");
}

TEST_F(NodeRegistryTest, CountsTheLivingAlone) {
  ASSERT_TRUE(nodes_.Register("a", TwoTiers(), kStart).ok());
  ASSERT_TRUE(nodes_.Register("b", TwoTiers(), kStart + kLease).ok());
  EXPECT_EQ(nodes_.CountAlive(kStart + kLease), 2);
  EXPECT_EQ(nodes_.CountAlive(kStart + 2 * kLease), 1);
}

TEST_F(NodeRegistryTest, DeadNodesMakeRoomAndLivingOnesDoNot) {
  for (int i = 0; i < NodeRegistry::kMaxNodes; ++i) {
    ASSERT_TRUE(nodes_.Register(absl::StrCat("n", i), {}, kStart).ok());
  }
  EXPECT_EQ(nodes_.Register("late", {}, kStart).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(nodes_.Register("n0", {}, kStart).ok());
  const absl::Time later = kStart + 2 * kLease;
  EXPECT_TRUE(nodes_.Register("late", {}, later).ok());
  EXPECT_FALSE(nodes_.Knows("n0"));
}

}  // namespace
}  // namespace stowage
