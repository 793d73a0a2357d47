#include "server/access/roles.h"

#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

std::string CallerAs(const std::vector<std::string>& rules,
                     const PeerNames& names) {
  const absl::StatusOr<Roles> roles = Roles::Make("stowage", rules);
  const std::optional<Caller> caller = roles->CallerOf(names);
  if (!caller) return "nobody";
  return std::string(RoleName(caller->role)) + " " + caller->name;
}

TEST(RolesTest, TheSpiffeIdSaysRoleAndName) {
  for (const std::string role : {"scheduler", "agent", "job", "operator"}) {
    EXPECT_EQ(CallerAs({}, {.spiffe_id = "spiffe://stowage/" + role + "/x"}),
              role + " x");
  }
}

TEST(RolesTest, SpiffeIdsThatSayNeitherHaveNoRole) {
  for (const char* id :
       {"", "spiffe://other/agent/x", "spiffe://stowage/admin/x",
        "spiffe://stowage/agent", "spiffe://stowage/agent/",
        "spiffe://stowage/agent/x/y", "spiffe://stowage.evil/agent/x",
        "https://stowage/agent/x"}) {
    EXPECT_EQ(CallerAs({}, {.spiffe_id = id}), "nobody") << id;
  }
}

TEST(RolesTest, RulesGiveRolesToDnsNames) {
  const std::vector<std::string> rules = {"agent=*.nodes.example",
                                          "operator=ops.example"};
  EXPECT_EQ(CallerAs(rules, {.dns = {"n7.nodes.example"}}), "agent n7");
  EXPECT_EQ(CallerAs(rules, {.dns = {"other", "OPS.example"}}), "operator OPS");
  EXPECT_EQ(CallerAs(rules, {.dns = {"a.n7.nodes.example"}}), "nobody");
  EXPECT_EQ(CallerAs(rules, {.dns = {"nodes.example"}}), "nobody");
  EXPECT_EQ(CallerAs(rules, {.dns = {".nodes.example"}}), "nobody");
  EXPECT_EQ(CallerAs(rules, {.dns = {"evil-ops.example"}}), "nobody");
}

TEST(RolesTest, ASpiffeIdOfTheDomainCountsBeforeRules) {
  EXPECT_EQ(CallerAs({"operator=n7"},
                     {.spiffe_id = "spiffe://stowage/agent/n7", .dns = {"n7"}}),
            "agent n7");
}

TEST(RolesTest, RefusesWhatIsNoRule) {
  for (const char* rule : {"", "agent", "agent=", "admin=x", "agent=*",
                           "agent=*.", "agent=a*.example"}) {
    EXPECT_THAT(Roles::Make("stowage", {rule}).status().message(),
                HasSubstr("is no rule"))
        << rule;
  }
}

}  // namespace
}  // namespace stowage
