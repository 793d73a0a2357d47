#include "client_sdk/runtime/placing/copies_ahead.h"

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/placed_memory.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kCopyFastPages = 8;
constexpr int64_t kCopySlowPages = 16;

class CopiesAheadTest : public testing::TestWithParam<bool> {
 protected:
  CopiesAheadTest()
      : memory_({.fast_bytes = kCopyFastPages * kPage,
                 .slow_bytes = kCopySlowPages * kPage,
                 .slow_is_file = GetParam()}) {}

  // Fills the fast tier with blocks of two pages, the oldest first.
  void Fill() {
    for (int i = 0; i < 4; ++i) {
      memory_.blocks.AdvanceClock();
      blocks_[i] =
          memory_.Make(&storages_[i], 2 * kPage, static_cast<char>('a' + i));
    }
  }
  void Follow() {
    for (int i = 0; i < 100; ++i) memory_.blocks.AdvanceClock();
    copies_.Follow();
  }
  void Write(Block* block, char value) {
    memory_.blocks.NoteWrite({block, session::kOperandWrite});
    memset(memory_.blocks.AddressOf(block->place), value, block->room_bytes());
  }

  PlacedMemory memory_;
  CopiesAhead copies_{&memory_.blocks, &memory_.mover};
  FakeStorage storages_[4];
  Block* blocks_[4] = {};
};

TEST_P(CopiesAheadTest, WhatWasUsedLongestAgoIsCopiedAndStays) {
  Fill();
  Follow();
  memory_.mover.FinishAhead(/*wait=*/true);
  EXPECT_TRUE(blocks_[0]->kept.has_value());
  EXPECT_EQ(blocks_[0]->place.tier, session::kFastTier);
  EXPECT_FALSE(blocks_[1]->kept.has_value());
  EXPECT_EQ(memory_.UsedBytes(session::kFastTier), kCopyFastPages * kPage);
}

TEST_P(CopiesAheadTest, AnEvictionOfWhatHasACopyMovesNothing) {
  Fill();
  Follow();
  memory_.mover.FinishAhead(/*wait=*/true);
  memory_.mover.BeginStep();
  Block born{.size_bytes = 2 * kPage};
  EXPECT_TRUE(memory_.evictor.TakeFastRoom(&born).has_value());
  EXPECT_EQ(blocks_[0]->place.tier, 1);
  EXPECT_EQ(memory_.mover.totals().out_bytes, 0);
  EXPECT_TRUE(memory_.Holds(*blocks_[0], 'a'));
}

TEST_P(CopiesAheadTest, NothingIsCopiedWhereThereIsRoom) {
  memory_.Make(&storages_[0], 2 * kPage, 'a');
  Follow();
  EXPECT_FALSE(memory_.mover.any_ahead());
  EXPECT_EQ(memory_.UsedBytes(1), 0);
}

TEST_P(CopiesAheadTest, NothingIsCopiedThatAKernelUses) {
  Fill();
  for (Block* block : blocks_) memory_.blocks.BeginUse(block);
  Follow();
  EXPECT_FALSE(memory_.mover.any_ahead());
  for (Block* block : blocks_) memory_.blocks.EndUse(block);
}

TEST_P(CopiesAheadTest, AWriteGivesACopyUp) {
  Fill();
  Follow();
  memory_.mover.FinishAhead(/*wait=*/true);
  Write(blocks_[0], 'x');
  EXPECT_FALSE(blocks_[0]->kept.has_value());
  memory_.evictor.Evict(blocks_[0]);
  EXPECT_TRUE(memory_.Holds(*blocks_[0], 'x'));
}

TEST_P(CopiesAheadTest, AWriteGivesUpTheCopyThatIsUnderWay) {
  memory_.agent.HoldMoves();
  Fill();
  Follow();
  ASSERT_TRUE(blocks_[0]->moving());
  Write(blocks_[0], 'x');
  memory_.agent.HangUp();  // the process makes the copy itself
  memory_.mover.FinishAhead(/*wait=*/true);
  EXPECT_FALSE(blocks_[0]->kept.has_value());
  EXPECT_EQ(memory_.UsedBytes(1), 0);
  memory_.evictor.Evict(blocks_[0]);
  EXPECT_TRUE(memory_.Holds(*blocks_[0], 'x'));
}

TEST_P(CopiesAheadTest, ABlockThatDiesWhileItIsCopiedLeavesNoRoomTaken) {
  Fill();
  Follow();
  storages_[0].Kill();
  memory_.mover.Abandon(blocks_[0]);
  memory_.blocks.Remove(blocks_[0]);
  EXPECT_FALSE(memory_.mover.any_ahead());
  EXPECT_EQ(memory_.UsedBytes(1), 0);
}

TEST_P(CopiesAheadTest, NoRoomInSlowMemoryMeansNoCopy) {
  Fill();
  Block filler{.size_bytes = kCopySlowPages * kPage};
  memory_.Room(1, &filler);
  Follow();
  EXPECT_FALSE(memory_.mover.any_ahead());
}

INSTANTIATE_TEST_SUITE_P(SlowTiers, CopiesAheadTest, testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "File" : "Memory";
                         });

}  // namespace
}  // namespace stowage::runtime
