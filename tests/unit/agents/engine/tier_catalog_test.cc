#include "agents/engine/tier_catalog.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

class SharedMediumTest : public testing::TestWithParam<const char*> {};

// A measurement takes half a second, in which every job that comes waits, and
// two of them never have the same figures throughout.
TEST_P(SharedMediumTest, IsMeasuredOnceAndHasOneArbitration) {
  TierCatalog catalog("node", "dram");
  const std::string kind = GetParam();
  const auto one = catalog.Slow(kind + ",size=64MiB");
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ((*one)->system.tiers_size(), 2);
  for (int mib = 65; mib < 85; ++mib) {
    const auto other = catalog.Slow(absl::StrCat(kind, ",size=", mib, "MiB"));
    ASSERT_TRUE(other.ok()) << other.status();
    EXPECT_NE(*one, *other);
    EXPECT_EQ((*one)->gate, (*other)->gate);
    EXPECT_EQ((*one)->system.SerializeAsString(),
              (*other)->system.SerializeAsString());
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SharedMediumTest,
                         testing::Values("file:/tmp", "emulated:cxl"));

TEST(TierCatalogTest, MeasuresEachMedium) {
  TierCatalog catalog("node", "dram");
  const auto cxl = catalog.Slow("emulated:cxl");
  const auto optane = catalog.Slow("emulated:optane");
  ASSERT_TRUE(cxl.ok()) << cxl.status();
  ASSERT_TRUE(optane.ok()) << optane.status();
  EXPECT_NE((*cxl)->gate, (*optane)->gate);
  EXPECT_NE((*cxl)->system.name(), (*optane)->system.name());
}

TEST(TierCatalogTest, TakesAKnownSystemForItsTiersAndMeasuresOthers) {
  v1::MemorySystem known;
  known.set_name("calibrated");
  known.add_tiers()->set_name("dram");
  known.add_tiers()->set_name("file");
  TierCatalog catalog("node", "dram", known);
  const auto file = catalog.Slow("file:/tmp");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->system.name(), "calibrated");
  const auto cxl = catalog.Slow("emulated:cxl");
  ASSERT_TRUE(cxl.ok()) << cxl.status();
  EXPECT_EQ((*cxl)->system.name(), "node-emulated-cxl");
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
