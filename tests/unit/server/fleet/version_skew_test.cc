#include "server/fleet/version_skew.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

TEST(VersionSkewTest, NeighboursInVersionWorkTogether) {
  for (const char* agent : {"1.4.9", "1.5.0", "1.5.7", "1.6.0"}) {
    EXPECT_TRUE(CheckVersionSkew(agent, "1.5.2").ok()) << agent;
  }
}

TEST(VersionSkewTest, AnAgentTwoVersionsOlderIsToBeUpgraded) {
  const absl::Status status = CheckVersionSkew("1.3.0", "1.5.0");
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(status.message(), HasSubstr("1.3.0"));
  EXPECT_THAT(status.message(), HasSubstr("upgrade the agent"));
}

TEST(VersionSkewTest, AnAgentTwoVersionsNewerNeedsANewerService) {
  EXPECT_THAT(CheckVersionSkew("1.7.0", "1.5.0").message(),
              HasSubstr("upgrade the service"));
  EXPECT_THAT(CheckVersionSkew("2.5.0", "1.5.0").message(),
              HasSubstr("upgrade the service"));
}

TEST(VersionSkewTest, AnAgentThatDoesNotSayIsNotRefused) {
  for (const char* agent : {"", "dev", "build-7", "1"}) {
    EXPECT_TRUE(CheckVersionSkew(agent, "1.5.0").ok()) << agent;
  }
}

}  // namespace
}  // namespace stowage
