#include "client_sdk/runtime/connection/session_client.h"

#include <string.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/fake_agent.h"

namespace stowage::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SessionClientTest, MapsTheSegmentAndTheTiers) {
  FakeAgent agent({.limit_bytes = 1 << 20});
  SessionClient client;
  ASSERT_THAT(client.Connect(agent.socket_path(), FakeAgent::Hello()),
              IsEmpty());

  EXPECT_EQ(client.welcome().limit.limit_bytes, 1 << 20);
  client.segment()->profiles_taken = 42;
  EXPECT_EQ(agent.segment().profiles_taken, 42u);
  ASSERT_EQ(client.tiers().size(), 2u);
  const MappedTier& fast = client.tiers()[0];
  EXPECT_TRUE(fast.addressable());
  fast.base[4095] = 'x';
  EXPECT_EQ(agent.tiers()[0].base[4095], 'x');
  const MappedTier& slow = client.tiers()[1];
  EXPECT_FALSE(slow.addressable());
  EXPECT_TRUE(slow.Contains(slow.base + slow.info.capacity_bytes - 1));
  EXPECT_FALSE(slow.Contains(slow.base + slow.info.capacity_bytes));
}

TEST(SessionClientTest, PassesTheAgentsReasonForARefusalOn) {
  FakeAgent agent({.refusal = "no such medium: tape; try file:/tmp"});
  SessionClient client;
  EXPECT_EQ(client.Connect(agent.socket_path(), FakeAgent::Hello()),
            "no such medium: tape; try file:/tmp");
  EXPECT_FALSE(client.AgentAlive());
}

TEST(SessionClientTest, RefusesAnotherVersionOfTheProtocol) {
  FakeAgent agent({.version = session::kVersion + 1});
  SessionClient client;
  EXPECT_THAT(client.Connect(agent.socket_path(), FakeAgent::Hello()),
              HasSubstr("same release"));
}

TEST(SessionClientTest, SaysWhereThereIsNoAgent) {
  agent::TempDirectory directory;
  SessionClient client;
  const std::string path = directory.path() + "/nobody.sock";
  EXPECT_THAT(client.Connect(path, FakeAgent::Hello()),
              HasSubstr("cannot reach the agent at " + path));
}

TEST(SessionClientTest, RefusesAPathThatASocketCannotHave) {
  SessionClient client;
  EXPECT_THAT(
      client.Connect("/tmp/" + std::string(200, 'x'), FakeAgent::Hello()),
      HasSubstr("too long"));
}

TEST(SessionClientTest, NoticesThatTheAgentHangsUp) {
  FakeAgent agent({});
  SessionClient client;
  ASSERT_THAT(client.Connect(agent.socket_path(), FakeAgent::Hello()),
              IsEmpty());
  EXPECT_TRUE(client.AgentAlive());
  agent.HangUp();
  EXPECT_FALSE(client.AgentAlive());
  // What is mapped stays.
  EXPECT_EQ(client.segment()->profiles_written, 0u);
}

TEST(SessionClientTest, CountsTheAgentAsGoneOnceTheSocketIsClosed) {
  FakeAgent agent({});
  SessionClient client;
  ASSERT_THAT(client.Connect(agent.socket_path(), FakeAgent::Hello()),
              IsEmpty());
  client.CloseSocket();
  EXPECT_FALSE(client.AgentAlive());
  client.CloseSocket();  // harmless
}

}  // namespace
}  // namespace stowage::runtime
