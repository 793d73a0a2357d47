#include "policies/registry.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(RegistryTest, MakesEveryPolicyByItsName) {
  for (const std::string& name : PolicyNames()) {
    const auto policy = MakePolicy(name);
    ASSERT_TRUE(policy.ok()) << policy.status();
    EXPECT_EQ((*policy)->name(), name);
    EXPECT_FALSE((*policy)->description().empty());
  }
}

TEST(RegistryTest, KnowsPoliciesByTheirFormerNames) {
  EXPECT_EQ((*MakePolicy("stow"))->name(), "annealed-search");
  EXPECT_EQ((*MakePolicy("deeptm-plus"))->name(), "learned-prices");
  EXPECT_EQ(PresentPolicyName("stow"), "annealed-search");
  EXPECT_EQ(PresentPolicyName("belady"), "belady");
}

TEST(RegistryTest, SaysWhatPoliciesCanDo) {
  EXPECT_TRUE(CapabilitiesOf("deeptm").needs_training);
  EXPECT_TRUE(CapabilitiesOf("deeptm").answers_online);
  EXPECT_FALSE(CapabilitiesOf("deeptm-heat").needs_training);
  EXPECT_TRUE(CapabilitiesOf("autotm-sync").chooses_implementations);
  EXPECT_FALSE(CapabilitiesOf("no such policy").needs_training);
}

TEST(RegistryTest, ListsPoliciesThatNeedTrainingAsWell) {
  std::vector<std::string> names, untrained;
  for (const PolicyInfo& policy : Policies()) {
    names.push_back(policy.name);
    if (!policy.capabilities.needs_training) untrained.push_back(policy.name);
    EXPECT_FALSE(policy.description.empty());
  }
  EXPECT_THAT(names, Contains("deeptm"));
  EXPECT_EQ(untrained, PolicyNames());
}

TEST(RegistryTest, HasTheDefaultPolicy) {
  EXPECT_THAT(PolicyNames(), Contains(std::string(kDefaultPolicy)));
}

TEST(RegistryTest, AnUnknownNameListsThoseThereAre) {
  const absl::Status status = MakePolicy("beladi").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("belady"));
}

}  // namespace
}  // namespace stowage::policies
