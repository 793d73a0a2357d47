#include "server/access/allowed_calls.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

constexpr char kDeleteGraph[] = "/stowage.v1.GraphService/DeleteGraph";

TEST(AllowedCallsTest, ARefusalSaysWhoMay) {
  const Caller agent = {.role = Role::kAgent, .identity = "spiffe://a/agent/b"};
  const absl::Status refused =
      CheckAllowed(agent, "/stowage.v1.NodeService/ListNodes");
  EXPECT_TRUE(absl::IsPermissionDenied(refused));
  EXPECT_THAT(refused.message(),
              HasSubstr("agent 'spiffe://a/agent/b' may not call"));
  EXPECT_THAT(refused.message(), HasSubstr("scheduler, operator"));
}

TEST(AllowedCallsTest, WhatStandsNowhereIsForOperatorsAlone) {
  for (const char* path : {"", "/stowage.v1.GraphService/NewCall", kDeleteGraph,
                           "/grpc.reflection.v1alpha.ServerReflection/"
                           "ServerReflectionInfo"}) {
    for (const Role role : {Role::kScheduler, Role::kAgent, Role::kJob}) {
      EXPECT_FALSE(CheckAllowed({.role = role}, path).ok()) << path;
    }
    EXPECT_TRUE(CheckAllowed({.role = Role::kOperator}, path).ok()) << path;
  }
}

TEST(AllowedCallsTest, AnAgentSpeaksForItsOwnNode) {
  const Caller agent = {.role = Role::kAgent, .name = "n7"};
  EXPECT_TRUE(CheckNode(agent, "n7").ok());
  EXPECT_TRUE(absl::IsPermissionDenied(CheckNode(agent, "n8")));
  EXPECT_TRUE(absl::IsPermissionDenied(CheckNode(agent, "N7")));
  EXPECT_TRUE(CheckNode({.role = Role::kScheduler, .name = "n7"}, "n8").ok());
}

}  // namespace
}  // namespace stowage
