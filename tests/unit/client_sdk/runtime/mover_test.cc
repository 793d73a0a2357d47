#include "client_sdk/runtime/mover.h"

#include <errno.h>
#include <string.h>

#include <algorithm>
#include <memory>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/fake_agent.h"
#include "tests/unit/client_sdk/runtime/fake_storage.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kBytes = 16 * session::kPageBytes;

class MoverTest : public testing::Test {
 protected:
  MoverTest() : agent_({}) {
    EXPECT_EQ(client_.Connect(agent_.socket_path(), FakeAgent::Hello()), "");
    agent_.UseMappingsOf(client_);
    blocks_ =
        std::make_unique<PlacedBlocks>(&client_.tiers(), FakeStorageAccess());
    mover_ = std::make_unique<Mover>(&client_, blocks_.get());
    mover_->window()->Use(0, StreamWindow::BytesFor(0));
    blocks_->TakeRoomAt({}, &window_block_);
  }

  // A block in the fast tier, filled with `value`.
  Block* Make(FakeStorage* storage, char value) {
    std::unique_ptr<Block> born = blocks_->New(kBytes);
    born->place = blocks_->TakeRoom(session::kFastTier, born.get()).value();
    Block* block = blocks_->Add(std::move(born));
    storage->address = blocks_->AddressOf(block->place);
    memset(storage->address, value, kBytes);
    blocks_->Adopt(storage);
    return block;
  }
  Place Room(int tier, Block* block) {
    return blocks_->TakeRoom(tier, block).value();
  }
  bool Holds(const Block& block, char value) {
    alignas(session::kPageBytes) static char bytes[kBytes];
    EXPECT_EQ(mover_->Read(block, bytes), 0);
    return std::count(bytes, bytes + kBytes, value) == kBytes;
  }
  int64_t UsedBytes(int tier) const {
    const int64_t window_bytes =
        tier == session::kFastTier ? window_block_.room_bytes() : 0;
    return blocks_->arena(tier).used_bytes() - window_bytes;
  }

  FakeAgent agent_;
  SessionClient client_;
  Block window_block_{.size_bytes = StreamWindow::BytesFor(0)};
  std::unique_ptr<PlacedBlocks> blocks_;
  std::unique_ptr<Mover> mover_;
};

TEST_F(MoverTest, TheSourceIsTheTensorUntilAMoveIsFinished) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  const Place source = block->place;
  ASSERT_TRUE(mover_->Begin(block, Room(1, block)));
  EXPECT_TRUE(block->moving());
  EXPECT_EQ(block->place, source);
  EXPECT_EQ(storage.address, blocks_->AddressOf(source));
  EXPECT_TRUE(mover_->Finish(block));
  EXPECT_FALSE(block->moving());
  EXPECT_EQ(block->place.tier, 1);
  EXPECT_EQ(storage.address, blocks_->AddressOf(block->place));
  EXPECT_TRUE(Holds(*block, 'a'));
  EXPECT_EQ(UsedBytes(0), 0);
}

TEST_F(MoverTest, AMoveThatKeepsItsSourceLeavesACopyToReturnTo) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  ASSERT_EQ(mover_->MoveNow(block, Room(1, block)), 0);
  const Place source = block->place;
  ASSERT_TRUE(mover_->Begin(block, Room(0, block), /*keeps_source=*/true));
  EXPECT_TRUE(mover_->Finish(block));
  EXPECT_EQ(block->kept, source);
  EXPECT_TRUE(blocks_->ReturnToKept(block));
  EXPECT_TRUE(Holds(*block, 'a'));
}

TEST_F(MoverTest, AMoveThatFailsLeavesTheBlockWhereItWas) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  const Place source = block->place;
  agent_.FailMovesWith(EIO);
  ASSERT_TRUE(mover_->Begin(block, Room(1, block)));
  EXPECT_FALSE(mover_->Finish(block));
  EXPECT_EQ(block->place, source);
  EXPECT_FALSE(block->moving());
  EXPECT_EQ(UsedBytes(1), 0);
  EXPECT_EQ(mover_->totals().out_bytes, 0);
}

TEST_F(MoverTest, AMoveThatNobodyWantsAnyMoreIsNotPublished) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  ASSERT_TRUE(mover_->Begin(block, Room(1, block)));
  EXPECT_FALSE(mover_->Finish(block, /*adopt=*/false));
  EXPECT_EQ(block->place.tier, session::kFastTier);
  EXPECT_EQ(UsedBytes(1), 0);
}

TEST_F(MoverTest, AMoveWhoseSourceAKernelUsesIsNotPublished) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  ASSERT_TRUE(mover_->Begin(block, Room(1, block)));
  blocks_->BeginUse(block);
  EXPECT_FALSE(mover_->Finish(block));
  EXPECT_EQ(block->place.tier, session::kFastTier);
  blocks_->EndUse(block);
}

TEST_F(MoverTest, ABlockThatDiesWhileItMovesLeavesNoRoomTaken) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  ASSERT_TRUE(mover_->BeginAhead(block, Room(1, block)));
  storage.Kill();
  mover_->Abandon(block);
  blocks_->Remove(block);
  EXPECT_EQ(UsedBytes(0), 0);
  EXPECT_EQ(UsedBytes(1), 0);
  EXPECT_FALSE(mover_->any_ahead());
}

TEST_F(MoverTest, MovesAheadArePublishedOnceTheyHaveArrived) {
  FakeStorage arrived, under_way;
  Block* first = Make(&arrived, 'a');
  Block* second = Make(&under_way, 'b');
  ASSERT_TRUE(mover_->BeginAhead(first, Room(1, first)));
  while (agent_.moves_executed() < 1) {
  }
  agent_.HoldMoves();
  ASSERT_TRUE(mover_->BeginAhead(second, Room(1, second)));
  mover_->FinishAhead(/*wait=*/false);
  EXPECT_EQ(first->place.tier, 1);
  EXPECT_TRUE(second->moving());
  EXPECT_TRUE(mover_->any_ahead());
  agent_.HangUp();  // the process makes the copy itself
  mover_->FinishAhead(/*wait=*/true);
  EXPECT_EQ(second->place.tier, 1);
  EXPECT_FALSE(mover_->any_ahead());
  EXPECT_TRUE(Holds(*first, 'a'));
  EXPECT_TRUE(Holds(*second, 'b'));
}

TEST_F(MoverTest, AMoveAheadThatSomebodyNeededIsNotFinishedTwice) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  ASSERT_TRUE(mover_->BeginAhead(block, Room(1, block)));
  EXPECT_TRUE(mover_->Finish(block));
  EXPECT_FALSE(mover_->any_ahead());
  ASSERT_TRUE(mover_->Begin(block, Room(0, block)));
  mover_->FinishAhead(/*wait=*/true);  // it is another move, of a plan's
  EXPECT_TRUE(block->moving());
  EXPECT_TRUE(mover_->Finish(block));
}

TEST_F(MoverTest, WhatWasWrittenThroughTheWindowMovesAlong) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  ASSERT_EQ(mover_->MoveNow(block, Room(1, block)), 0);
  char* address = storage.address;
  ASSERT_EQ(mover_->Fault(*block, address), 0);  // readable
  ASSERT_EQ(mover_->Fault(*block, address), 0);  // writable
  *address = 'b';
  ASSERT_EQ(mover_->MoveNow(block, Room(0, block)), 0);
  EXPECT_EQ(storage.address.load()[0], 'b');
  EXPECT_EQ(storage.address.load()[1], 'a');
  EXPECT_GT(mover_->fault_ns(), 0);
}

TEST_F(MoverTest, TotalsCountBytesInBothDirectionsSinceTheStepBegan) {
  FakeStorage storage;
  Block* block = Make(&storage, 'a');
  ASSERT_EQ(mover_->MoveNow(block, Room(1, block)), 0);
  mover_->BeginStep();
  ASSERT_TRUE(mover_->Begin(block, Room(0, block)));
  ASSERT_TRUE(mover_->Finish(block));
  ASSERT_EQ(mover_->MoveNow(block, Room(1, block)), 0);
  EXPECT_EQ(mover_->totals().in_bytes, kBytes);
  EXPECT_EQ(mover_->totals().out_bytes, kBytes);
  EXPECT_GT(mover_->totals().stall_ns, 0);
}

}  // namespace
}  // namespace stowage::runtime
