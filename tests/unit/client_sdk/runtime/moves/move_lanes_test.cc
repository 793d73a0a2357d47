#include "client_sdk/runtime/moves/move_lanes.h"

#include <errno.h>
#include <string.h>

#include <string>
#include <thread>
#include <vector>

#include "client_sdk/runtime/blocks/tier_copy.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/fake_agent.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

class MoveLanesTest : public testing::Test {
 protected:
  MoveLanesTest() : agent_({}), lanes_(&client_) {}
  void SetUp() override {
    ASSERT_EQ(client_.Connect(agent_.socket_path(), FakeAgent::Hello()), "");
    agent_.UseMappingsOf(client_);
  }

  char* Fast(int64_t offset_bytes) {
    return client_.tiers()[0].base + offset_bytes;
  }
  uint64_t MoveOut(int64_t fast_offset, int64_t slow_offset) {
    return lanes_.Issue(session::kLaneOut, {0, fast_offset}, {1, slow_offset},
                        kPage);
  }
  uint64_t MoveIn(int64_t slow_offset, int64_t fast_offset) {
    return lanes_.Issue(session::kLaneIn, {1, slow_offset}, {0, fast_offset},
                        kPage);
  }

  FakeAgent agent_;
  SessionClient client_;
  MoveLanes lanes_;
};

TEST_F(MoveLanesTest, TheAgentCopiesOutAndIn) {
  memset(Fast(0), 'a', kPage);
  EXPECT_EQ(lanes_.Wait(session::kLaneOut, MoveOut(0, 8 * kPage)), 0);
  EXPECT_EQ(lanes_.Wait(session::kLaneIn, MoveIn(8 * kPage, 2 * kPage)), 0);
  EXPECT_EQ(memcmp(Fast(2 * kPage), Fast(0), kPage), 0);
  EXPECT_EQ(agent_.moves_executed(), 2);
}

TEST_F(MoveLanesTest, TellsTheAgentWhenTheBytesAreNeeded) {
  const uint64_t last =
      lanes_.Issue(session::kLaneOut, {0, 0}, {1, 0}, kPage, 12345);
  EXPECT_EQ(client_.segment()->lanes[session::kLaneOut].entries[0].deadline_ns,
            12345);
  EXPECT_EQ(lanes_.Wait(session::kLaneOut, last), 0);
}

TEST_F(MoveLanesTest, CompletesMovesInOrder) {
  const uint64_t first = MoveOut(0, 0);
  const uint64_t second = MoveOut(kPage, kPage);
  EXPECT_EQ(lanes_.Wait(session::kLaneOut, second), 0);
  EXPECT_TRUE(lanes_.Done(session::kLaneOut, first));
  EXPECT_EQ(lanes_.Wait(session::kLaneOut, first), 0);
}

TEST_F(MoveLanesTest, ReportsWhyAMoveFailed) {
  agent_.FailMovesWith(ENOSPC);
  EXPECT_EQ(lanes_.Wait(session::kLaneOut, MoveOut(0, 0)), ENOSPC);
  agent_.FailMovesWith(0);
  EXPECT_EQ(lanes_.Wait(session::kLaneOut, MoveOut(0, 0)), 0);
}

TEST_F(MoveLanesTest, GoesOnWhenALaneHasWrappedAround) {
  uint64_t last = 0;
  for (uint64_t i = 0; i < session::kLaneEntries + 10; ++i) {
    last = MoveIn((i % 16) * kPage, (i % 16) * kPage);
  }
  EXPECT_EQ(last, session::kLaneEntries + 9);
  EXPECT_EQ(lanes_.Wait(session::kLaneIn, last), 0);
}

TEST_F(MoveLanesTest, DoesWhatIsLeftItselfWhenTheAgentIsGone) {
  memset(Fast(0), 'a', kPage);
  memset(Fast(kPage), 'b', kPage);
  EXPECT_EQ(lanes_.Wait(session::kLaneOut, MoveOut(0, 0)), 0);
  agent_.HoldMoves();
  const uint64_t second = MoveOut(kPage, kPage);
  const uint64_t third = MoveOut(0, 2 * kPage);
  agent_.HangUp();

  EXPECT_EQ(lanes_.Wait(session::kLaneOut, second), 0);
  EXPECT_EQ(lanes_.Wait(session::kLaneOut, third), 0);
  EXPECT_EQ(lanes_.Wait(session::kLaneIn, MoveIn(kPage, 5 * kPage)), 0);
  EXPECT_EQ(std::string(Fast(5 * kPage), kPage), std::string(kPage, 'b'));
  EXPECT_EQ(agent_.moves_executed(), 1);
}

TEST_F(MoveLanesTest, NoticesAHangUpWhileItWaits) {
  memset(Fast(0), 'a', kPage);
  agent_.HoldMoves();
  const uint64_t ticket = MoveOut(0, 0);
  std::thread hang_up([this] { agent_.HangUp(); });
  EXPECT_EQ(lanes_.Wait(session::kLaneOut, ticket), 0);
  hang_up.join();
}

TEST_F(MoveLanesTest, ReportsItsOwnErrorsWhenTheAgentIsGone) {
  agent_.HangUp();
  // Direct I/O from beyond the end of the slow tier's file.
  const uint64_t ticket =
      MoveIn(client_.tiers()[1].info.capacity_bytes, /*fast_offset=*/0);
  EXPECT_EQ(lanes_.Wait(session::kLaneIn, ticket), EIO);
}

}  // namespace
}  // namespace stowage::runtime
