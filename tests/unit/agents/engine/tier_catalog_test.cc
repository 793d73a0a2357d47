#include "agents/engine/tier_catalog.h"

#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

TEST(TierCatalogTest, OpensAndMeasuresATierOnce) {
  TierCatalog catalog("node", "dram");
  const auto first = catalog.Slow("emulated:cxl");
  const auto second = catalog.Slow("emulated:cxl");
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(*first, *second);
  EXPECT_EQ((*first)->system.tiers_size(), 2);
}

TEST(TierCatalogTest, LetsTiersOfOneDeviceShareTheirArbitration) {
  TierCatalog catalog("node", "dram");
  const auto one = catalog.Slow("file:/tmp,size=64MiB");
  const auto other = catalog.Slow("file:/tmp,size=128MiB");
  ASSERT_TRUE(one.ok()) << one.status();
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_NE(*one, *other);
  EXPECT_EQ((*one)->gate, (*other)->gate);
}

TEST(TierCatalogTest, PassesOnWhyATierDoesNotServe) {
  TierCatalog catalog("node", "dram");
  EXPECT_TRUE(absl::IsNotFound(catalog.Slow("file:/no/such").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(catalog.Slow("tape:/x").status()));
  EXPECT_TRUE(
      absl::IsNotFound(TierCatalog("node", "dram:999").Fast().status()));
}

}  // namespace
}  // namespace stowage::agent
