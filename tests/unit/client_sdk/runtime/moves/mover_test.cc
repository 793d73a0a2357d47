#include "client_sdk/runtime/moves/mover.h"

#include <errno.h>
#include <string.h>

#include <thread>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/placed_memory.h"
#include "tests/unit/client_sdk/runtime/wait_for_fault.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kBytes = 16 * kPage;

class MoverTest : public testing::Test {
 protected:
  MoverTest() : memory_({}) {
    const int64_t window_bytes = StreamWindow::BytesFor(0);
    memory_.blocks.SetFastCapacity(memory_.blocks.fast().capacity_bytes() -
                                   window_bytes);
    mover_.window()->Use(memory_.blocks.fast().capacity_bytes(), window_bytes);
  }

  Block* Make(FakeStorage* storage, char value) {
    return memory_.Make(storage, kBytes, value);
  }
  Place Room(int tier, Block* block) { return memory_.Room(tier, block); }
  int Fault(Block* block, const char* address, Access access) {
    return WaitForFault(mover_.window(), [&](bool again) {
      return mover_.Fault(block, address, access, again);
    });
  }

  PlacedMemory memory_;
  PlacedBlocks& blocks_ = memory_.blocks;
  Mover& mover_ = memory_.mover;
};

TEST_F(MoverTest, TheSourceIsTheTensorUntilAMoveIsFinished) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  const Place source = block->place;
  ASSERT_TRUE(mover_.Begin(block, Room(1, block)));
  EXPECT_TRUE(block->moving());
  EXPECT_EQ(block->place, source);
  EXPECT_EQ(storage.address, blocks_.AddressOf(source));
  EXPECT_TRUE(mover_.Finish(block));
  EXPECT_FALSE(block->moving());
  EXPECT_EQ(block->place.tier, 1);
  EXPECT_EQ(storage.address, blocks_.AddressOf(block->place));
  EXPECT_TRUE(memory_.Holds(*block, 'a'));
  EXPECT_EQ(memory_.UsedBytes(0), 0);
}

TEST_F(MoverTest, AMoveThatKeepsItsSourceLeavesACopyToReturnTo) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  ASSERT_EQ(mover_.MoveNow(block, Room(1, block)), 0);
  const Place source = block->place;
  ASSERT_TRUE(mover_.Begin(block, Room(0, block), /*keeps_source=*/true));
  EXPECT_TRUE(mover_.Finish(block));
  EXPECT_EQ(block->kept, source);
  EXPECT_TRUE(blocks_.ReturnToKept(block));
  EXPECT_TRUE(memory_.Holds(*block, 'a'));
}

TEST_F(MoverTest, WhatIsWrittenWhileItLeavesIsCopiedAgain) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  ASSERT_TRUE(mover_.Begin(block, Room(1, block)));
  while (memory_.agent.moves_executed() == 0) std::this_thread::yield();
  memset(storage.address, 'b', kBytes);
  EXPECT_TRUE(mover_.Finish(block));
  EXPECT_EQ(block->place.tier, 1);
  EXPECT_TRUE(memory_.Holds(*block, 'b'));
  EXPECT_EQ(blocks_.unseen_writes().count, 1);
}

TEST_F(MoverTest, WhatIsWrittenInAFileWhileItReturnsIsCopiedAgain) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  memory_.MoveTo(1, block);
  ASSERT_TRUE(mover_.Begin(block, Room(0, block)));
  while (memory_.agent.moves_executed() == 0) std::this_thread::yield();
  ASSERT_EQ(Fault(block, storage.address, Access::kWrite), 0);
  *storage.address.load() = 'b';
  EXPECT_TRUE(mover_.Finish(block));
  EXPECT_EQ(block->place.tier, 0);
  EXPECT_EQ(storage.address.load()[0], 'b');
  EXPECT_EQ(storage.address.load()[1], 'a');
}

TEST_F(MoverTest, WhatIsWrittenAfterItWasCopiedAheadDoesNotReturnToTheCopy) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  mover_.CopyAhead(block, Room(1, block));
  mover_.FinishAhead(/*wait=*/true);
  ASSERT_TRUE(block->kept.has_value());
  memset(storage.address, 'b', kBytes);
  EXPECT_FALSE(blocks_.ReturnToKept(block));
  EXPECT_FALSE(block->kept.has_value());
  EXPECT_EQ(memory_.UsedBytes(1), 0);
  EXPECT_TRUE(memory_.Holds(*block, 'b'));
}

TEST_F(MoverTest, AMoveThatFailsLeavesTheBlockWhereItWas) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  const Place source = block->place;
  memory_.agent.FailMovesWith(EIO);
  ASSERT_TRUE(mover_.Begin(block, Room(1, block)));
  EXPECT_FALSE(mover_.Finish(block));
  EXPECT_EQ(block->place, source);
  EXPECT_FALSE(block->moving());
  EXPECT_EQ(memory_.UsedBytes(1), 0);
  EXPECT_EQ(mover_.totals().out_bytes, 0);
}

TEST_F(MoverTest, AMoveThatNobodyWantsAnyMoreIsNotPublished) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  ASSERT_TRUE(mover_.Begin(block, Room(1, block)));
  EXPECT_FALSE(mover_.Finish(block, /*adopt=*/false));
  EXPECT_EQ(block->place.tier, session::kFastTier);
  EXPECT_EQ(memory_.UsedBytes(1), 0);
}

TEST_F(MoverTest, AMoveWhoseSourceAKernelUsesIsNotPublished) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  ASSERT_TRUE(mover_.Begin(block, Room(1, block)));
  blocks_.BeginUse(block);
  EXPECT_FALSE(mover_.Finish(block));
  EXPECT_EQ(block->place.tier, session::kFastTier);
  blocks_.EndUse(block);
}

TEST_F(MoverTest, ABlockThatDiesWhileItMovesLeavesNoRoomTaken) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  ASSERT_TRUE(mover_.BeginAhead(block, Room(1, block)));
  storage.Kill();
  mover_.Abandon(block);
  blocks_.Remove(block);
  EXPECT_EQ(memory_.UsedBytes(0), 0);
  EXPECT_EQ(memory_.UsedBytes(1), 0);
  EXPECT_FALSE(mover_.any_ahead());
}

TEST_F(MoverTest, MovesAheadArePublishedOnceTheyHaveArrived) {
  FakeStorage arrived, under_way;
  Block* first = Make(&arrived, 'a');
  Block* second = Make(&under_way, 'b');
  ASSERT_TRUE(mover_.BeginAhead(first, Room(1, first)));
  while (memory_.agent.moves_executed() < 1) {
  }
  memory_.agent.HoldMoves();
  ASSERT_TRUE(mover_.BeginAhead(second, Room(1, second)));
  mover_.FinishAhead(/*wait=*/false);
  EXPECT_EQ(first->place.tier, 1);
  EXPECT_TRUE(second->moving());
  EXPECT_TRUE(mover_.any_ahead());
  memory_.agent.HangUp();  // the process makes the copy itself
  mover_.FinishAhead(/*wait=*/true);
  EXPECT_EQ(second->place.tier, 1);
  EXPECT_FALSE(mover_.any_ahead());
  EXPECT_TRUE(memory_.Holds(*first, 'a'));
  EXPECT_TRUE(memory_.Holds(*second, 'b'));
}

TEST_F(MoverTest, AMoveAheadThatSomebodyNeededIsNotFinishedTwice) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  ASSERT_TRUE(mover_.BeginAhead(block, Room(1, block)));
  EXPECT_TRUE(mover_.Finish(block));
  EXPECT_FALSE(mover_.any_ahead());
  ASSERT_TRUE(mover_.Begin(block, Room(0, block)));
  mover_.FinishAhead(/*wait=*/true);  // it is another move, of a plan's
  EXPECT_TRUE(block->moving());
  EXPECT_TRUE(mover_.Finish(block));
}

TEST_F(MoverTest, WhatWasWrittenThroughTheWindowMovesAlong) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  ASSERT_EQ(mover_.MoveNow(block, Room(1, block)), 0);
  char* address = storage.address;
  ASSERT_EQ(Fault(block, address, Access::kRead), 0);
  ASSERT_EQ(Fault(block, address, Access::kWrite), 0);
  *address = 'b';
  ASSERT_EQ(mover_.MoveNow(block, Room(0, block)), 0);
  EXPECT_EQ(storage.address.load()[0], 'b');
  EXPECT_EQ(storage.address.load()[1], 'a');
}

TEST_F(MoverTest, TotalsCountBytesInBothDirectionsSinceTheStepBegan) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  ASSERT_EQ(mover_.MoveNow(block, Room(1, block)), 0);
  mover_.BeginStep();
  ASSERT_TRUE(mover_.Begin(block, Room(0, block)));
  ASSERT_TRUE(mover_.Finish(block));
  ASSERT_EQ(mover_.MoveNow(block, Room(1, block)), 0);
  EXPECT_EQ(mover_.totals().in_bytes, kBytes);
  EXPECT_EQ(mover_.totals().out_bytes, kBytes);
  EXPECT_GT(mover_.totals().stall_in_ns, 0);
  EXPECT_GT(mover_.totals().stall_out_ns, 0);
}

}  // namespace
}  // namespace stowage::runtime
