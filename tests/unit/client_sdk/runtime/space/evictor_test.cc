#include "client_sdk/runtime/space/evictor.h"

#include <optional>
#include <stdexcept>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/placed_memory.h"

namespace stowage::runtime {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kEvictorPages = 8;
constexpr int64_t kSlowPages = 16;

class EvictorTest : public testing::Test {
 protected:
  EvictorTest()
      : memory_({.fast_bytes = kEvictorPages * kPage,
                 .slow_bytes = kSlowPages * kPage}) {}

  // Lets a kernel use the block now.
  void Use(Block* block) {
    memory_.blocks.AdvanceClock();
    memory_.blocks.BeginUse(block);
    memory_.blocks.EndUse(block);
  }

  PlacedMemory memory_;
  Evictor& evictor_ = memory_.evictor;
};

TEST_F(EvictorTest, WhatWasUsedLongestAgoLeavesForANewBlock) {
  FakeStorage first, second;
  Block* old = memory_.Make(&first, 4 * kPage, 'a');
  Block* recent = memory_.Make(&second, 4 * kPage, 'b');
  Use(old);
  for (int i = 0; i < 5; ++i) Use(recent);
  Block born{.size_bytes = 4 * kPage};
  const std::optional<Place> room = evictor_.TakeFastRoom(&born);
  ASSERT_TRUE(room.has_value());
  EXPECT_EQ(room->tier, session::kFastTier);
  EXPECT_EQ(old->place.tier, 1);
  EXPECT_EQ(recent->place.tier, session::kFastTier);
  EXPECT_TRUE(memory_.Holds(*old, 'a'));
}

TEST_F(EvictorTest, ThereIsNoFastRoomWhereNothingMayLeave) {
  FakeStorage storage;
  Block* block = memory_.Make(&storage, kEvictorPages * kPage, 'a');
  memory_.blocks.BeginUse(block);
  Block born{.size_bytes = kPage};
  EXPECT_FALSE(evictor_.TakeFastRoom(&born).has_value());
  EXPECT_EQ(block->place.tier, session::kFastTier);
  memory_.blocks.EndUse(block);
}

TEST_F(EvictorTest, MovesAheadArriveBeforeAnythingIsEvictedForTheirRoom) {
  FakeStorage first, second;
  Block* leaves = memory_.Make(&first, 4 * kPage, 'a');
  Block* stays = memory_.Make(&second, 4 * kPage, 'b');
  ASSERT_TRUE(memory_.mover.BeginAhead(leaves, memory_.Room(1, leaves)));
  Block born{.size_bytes = 4 * kPage};
  EXPECT_TRUE(evictor_.TakeFastRoom(&born).has_value());
  EXPECT_EQ(leaves->place.tier, 1);
  EXPECT_EQ(stays->place.tier, session::kFastTier);
}

TEST_F(EvictorTest, ABlockWithAKeptCopyReturnsToIt) {
  FakeStorage storage;
  Block* block = memory_.Make(&storage, kPage, 'a', /*tier=*/1);
  const Place source = block->place;
  ASSERT_TRUE(memory_.mover.Begin(block, memory_.Room(0, block),
                                  /*keeps_source=*/true));
  ASSERT_TRUE(memory_.mover.Finish(block));
  memory_.mover.BeginStep();
  evictor_.Evict(block);
  EXPECT_EQ(block->place, source);
  EXPECT_EQ(memory_.mover.totals().out_bytes, 0);
  EXPECT_TRUE(memory_.Holds(*block, 'a'));
}

TEST_F(EvictorTest, ABlockThatWasFetchedLeavesWithoutACopy) {
  FakeStorage storage;
  Block* block = memory_.Make(&storage, kPage, 'a', /*tier=*/1);
  const Place source = block->place;
  ASSERT_TRUE(evictor_.BeginFetch(block));
  evictor_.FinishFetch(block);
  ASSERT_EQ(block->place.tier, session::kFastTier);
  memory_.mover.BeginStep();
  evictor_.Evict(block);
  EXPECT_EQ(block->place, source);
  EXPECT_EQ(memory_.mover.totals().out_bytes, 0);
  EXPECT_TRUE(memory_.Holds(*block, 'a'));
}

TEST_F(EvictorTest, SeveralVictimsLeaveTogether) {
  FakeStorage storages[4];
  Block* blocks[4];
  for (int i = 0; i < 4; ++i) {
    blocks[i] = memory_.Make(&storages[i], 2 * kPage, static_cast<char>(i));
  }
  Block born{.size_bytes = kEvictorPages * kPage};
  EXPECT_TRUE(evictor_.TakeFastRoom(&born).has_value());
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(blocks[i]->place.tier, 1);
    EXPECT_TRUE(memory_.Holds(*blocks[i], static_cast<char>(i)));
  }
}

TEST_F(EvictorTest, KeptCopiesAreGivenUpWhereTheSlowTierIsFull) {
  FakeStorage first, second;
  Block* kept = memory_.Make(&first, 4 * kPage, 'a', /*tier=*/1);
  ASSERT_TRUE(memory_.mover.Begin(kept, memory_.Room(0, kept),
                                  /*keeps_source=*/true));
  ASSERT_TRUE(memory_.mover.Finish(kept));
  Block filler{.size_bytes = (kSlowPages - 4) * kPage};
  memory_.Room(1, &filler);
  Block* block = memory_.Make(&second, 4 * kPage, 'b');
  evictor_.Evict(block);
  EXPECT_EQ(block->place.tier, 1);
  EXPECT_FALSE(kept->kept.has_value());
  EXPECT_TRUE(memory_.Holds(*block, 'b'));
}

TEST_F(EvictorTest, AFullSlowTierIsAnErrorThatLosesNothing) {
  FakeStorage storage;
  Block* block = memory_.Make(&storage, kPage, 'a');
  Block filler{.size_bytes = kSlowPages * kPage};
  memory_.Room(1, &filler);
  try {
    evictor_.Evict(block);
    FAIL() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no tensor was lost"));
  }
  EXPECT_EQ(block->place.tier, session::kFastTier);
  EXPECT_TRUE(memory_.Holds(*block, 'a'));
}

TEST_F(EvictorTest, TheLowestRoomMayBeThatOfBlocksThatCanMove) {
  FakeStorage first, second;
  Block* low = memory_.Make(&first, 2 * kPage, 'a');
  Block* high = memory_.Make(&second, 2 * kPage, 'b');
  const std::optional<Victims> victims = evictor_.LowestRoom(*high);
  ASSERT_TRUE(victims.has_value());
  EXPECT_EQ(victims->offset_bytes, 0);
  EXPECT_THAT(victims->blocks, testing::ElementsAre(low));
  // Its own room is none that it could have.
  EXPECT_EQ(evictor_.LowestRoom(*low)->offset_bytes, 2 * kPage);
}

TEST_F(EvictorTest, WhatStandsInRoomThatIsNamedLeaves) {
  FakeStorage first, second;
  Block* low = memory_.Make(&first, 2 * kPage, 'a');
  Block* high = memory_.Make(&second, 2 * kPage, 'b');
  Block born{.size_bytes = 4 * kPage};
  EXPECT_TRUE(evictor_.TakeFastRoomAt({session::kFastTier, 3 * kPage}, &born));
  EXPECT_EQ(low->place.tier, session::kFastTier);
  EXPECT_EQ(high->place.tier, 1);
  EXPECT_TRUE(memory_.Holds(*high, 'b'));
}

TEST_F(EvictorTest, NothingLeavesForRoomThatCannotBeHad) {
  FakeStorage first, second;
  Block* used = memory_.Make(&first, 2 * kPage, 'a');
  Block* idle = memory_.Make(&second, 2 * kPage, 'b');
  memory_.blocks.BeginUse(used);
  Block born{.size_bytes = kEvictorPages * kPage};
  EXPECT_FALSE(evictor_.TakeFastRoomAt({session::kFastTier, 0}, &born));
  EXPECT_FALSE(evictor_.TakeFastRoomAt({session::kFastTier, 2 * kPage}, &born));
  EXPECT_EQ(idle->place.tier, session::kFastTier);
  memory_.blocks.EndUse(used);
}

TEST_F(EvictorTest, FetchingEvictsWhatIsInTheWay) {
  FakeStorage first, second;
  Block* absent = memory_.Make(&first, kEvictorPages * kPage, 'a', /*tier=*/1);
  Block* present = memory_.Make(&second, kPage, 'b');
  ASSERT_TRUE(evictor_.BeginFetch(absent));
  evictor_.FinishFetch(absent);
  EXPECT_EQ(absent->place.tier, session::kFastTier);
  EXPECT_EQ(present->place.tier, 1);
  EXPECT_TRUE(memory_.Holds(*absent, 'a'));
  EXPECT_TRUE(memory_.Holds(*present, 'b'));
}

TEST_F(EvictorTest, WhatIsLargerThanFastMemoryIsNotFetched) {
  FakeStorage storage;
  Block* block = memory_.Make(&storage, 2 * kPage, 'a', /*tier=*/1);
  memory_.blocks.SetFastCapacity(kPage);
  EXPECT_FALSE(evictor_.BeginFetch(block));
  EXPECT_EQ(block->place.tier, 1);
}

TEST_F(EvictorTest, ABlockMovesToAPlaceThatIsAcceptedOrStays) {
  FakeStorage storage, slow;
  Block* block = memory_.Make(&storage, 4 * kPage, 'a');
  Block* other = memory_.Make(&slow, 4 * kPage, 'b', 1);
  const int64_t used_bytes = memory_.UsedBytes(1);
  const auto not_first = [](Place place) {
    return place.offset_bytes >= 8 * kPage;
  };
  EXPECT_TRUE(evictor_.MoveWhere(block, not_first));
  EXPECT_EQ(block->place.tier, 1);
  EXPECT_GE(block->place.offset_bytes, 8 * kPage);
  EXPECT_TRUE(memory_.Holds(*block, 'a'));
  EXPECT_EQ(memory_.UsedBytes(1), used_bytes + 4 * kPage);

  EXPECT_TRUE(evictor_.MoveWhere(
      other, [](Place place) { return place.tier == session::kFastTier; }));
  EXPECT_EQ(other->place.tier, session::kFastTier);
  EXPECT_FALSE(evictor_.MoveWhere(other, [](Place) { return false; }));
  EXPECT_TRUE(memory_.Holds(*other, 'b'));
}

}  // namespace
}  // namespace stowage::runtime
