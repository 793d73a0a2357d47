#include "agents/tiers/tier_spec.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

using ::testing::HasSubstr;

TEST(TierSpecTest, ReadsKindArgumentAndSize) {
  const absl::StatusOr<TierSpec> spec =
      ParseTierSpec("file:/mnt/nvme:0,size=16GiB");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->kind, "file");
  EXPECT_EQ(spec->argument, "/mnt/nvme:0");
  EXPECT_EQ(spec->size_bytes, int64_t{16} << 30);
  EXPECT_EQ(spec->text, "file:/mnt/nvme:0,size=16GiB");
}

TEST(TierSpecTest, LeavesTheSizeToTheKind) {
  const absl::StatusOr<TierSpec> spec = ParseTierSpec("dram");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->argument, "");
  EXPECT_EQ(spec->size_bytes, 0);
}

TEST(TierSpecTest, RefusesWhatItDoesNotKnowAndSaysWhatThereIs) {
  for (const char* text : {"", "tape:/x", "file",
                           "file:", "numa:", "file:/x,size=", "dram,size=-1",
                           "file:/x,size=many", "file:/x,size=4095"}) {
    const absl::StatusOr<TierSpec> spec = ParseTierSpec(text);
    EXPECT_TRUE(absl::IsInvalidArgument(spec.status())) << text;
    EXPECT_THAT(std::string(spec.status().message()), HasSubstr("file:DIR"));
  }
}

}  // namespace
}  // namespace stowage::agent
