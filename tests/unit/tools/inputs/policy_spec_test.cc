#include "tools/stowage/inputs/policy_spec.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/registry.h"

namespace stowage::cli {
namespace {

using ::testing::HasSubstr;

TEST(PolicySpecTest, AllStandsForEveryPolicyBesideOthers) {
  const auto specs = ExpandPolicies({"sentinel:8", "all"});
  ASSERT_TRUE(specs.ok()) << specs.status();
  ASSERT_EQ(specs->size(), policies::PolicyNames().size() + 1);
  EXPECT_EQ(specs->front(), "sentinel:8");
  EXPECT_EQ(specs->back(), policies::PolicyNames().back());
}

TEST(PolicySpecTest, NamesTheFirstPolicyThatDoesNotExist) {
  EXPECT_THAT(ExpandPolicies({"lru", "magic"}).status().message(),
              HasSubstr("'magic'"));
}

TEST(PolicySpecTest, AFileThatASpecNamesMustBeReadable) {
  EXPECT_TRUE(CheckPolicyFile("lru").ok());
  EXPECT_TRUE(CheckPolicyFile("sentinel:8").ok());
  EXPECT_EQ(CheckPolicyFile("deeptm:/nonexistent.dqn").code(),
            absl::StatusCode::kNotFound);
}

TEST(PolicySpecTest, RefusesADqnPolicyThatNothingUses) {
  EXPECT_TRUE(CheckDqnUse({"lru"}, "").ok());
  EXPECT_TRUE(CheckDqnUse({"lru", "deeptm"}, "a.dqn").ok());
  EXPECT_THAT(CheckDqnUse({"lru", "all"}, "a.dqn").message(),
              HasSubstr("lru, all"));
}

}  // namespace
}  // namespace stowage::cli
