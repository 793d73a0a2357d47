#include "client_sdk/runtime/blocks/placed_blocks.h"

#include <memory>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/fake_storage.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kTierBytes = 8 * kPage;

MappedTier TierAt(char* address, uint32_t flags) {
  MappedTier tier;
  tier.info.flags = flags;
  tier.info.capacity_bytes = kTierBytes;
  tier.base = address;
  return tier;
}

// Returns a file tier of addresses that nobody reads or writes.
MappedTier FileTierAt(uintptr_t address) {
  return TierAt(reinterpret_cast<char*>(address), session::kTierFile);
}

class PlacedBlocksTest : public testing::Test {
 protected:
  PlacedBlocksTest()
      : fast_(kTierBytes),
        tiers_{TierAt(fast_.data(), session::kTierAddressable),
               FileTierAt(2 << 20), FileTierAt(3 << 20)},
        blocks_(&tiers_, FakeStorageAccess()) {}

  // Returns a block in the tier, with a storage.
  Block* Make(FakeStorage* storage, int64_t size_bytes, int tier = 0) {
    std::unique_ptr<Block> born = blocks_.New(size_bytes);
    born->place = blocks_.TakeRoom(tier, born.get()).value();
    Block* block = blocks_.Add(std::move(born));
    storage->address = blocks_.AddressOf(block->place);
    EXPECT_EQ(blocks_.Adopt(storage), block);
    return block;
  }
  void MoveTo(Block* block, int tier, bool keeps_source = false) {
    const Place room = blocks_.TakeRoom(tier, block).value();
    EXPECT_TRUE(blocks_.SetPlace(block, room, keeps_source));
  }
  int64_t UsedBytes(int tier) { return blocks_.arena(tier).used_bytes(); }

  std::vector<char> fast_;
  std::vector<MappedTier> tiers_;
  PlacedBlocks blocks_;
};

TEST_F(PlacedBlocksTest, FindsABlockByAnyAddressInIt) {
  FakeStorage storage;
  Block* block = Make(&storage, 2 * kPage);
  const char* address = blocks_.AddressOf(block->place);
  EXPECT_EQ(blocks_.Find(address), block);
  EXPECT_EQ(blocks_.Find(address + 2 * kPage - 1), block);
  EXPECT_EQ(blocks_.Find(address + 2 * kPage), nullptr);
  EXPECT_TRUE(blocks_.Manages(address + 2 * kPage));
  EXPECT_FALSE(blocks_.Manages(address - kPage));
}

TEST_F(PlacedBlocksTest, AnotherStorageAtTheSamePlaceTakesTheBlockOver) {
  FakeStorage first, second;
  Block* block = Make(&first, kPage);
  EXPECT_EQ(first.handles, 1);
  second.address = first.address.load();
  EXPECT_EQ(blocks_.Adopt(&second), block);
  EXPECT_EQ(first.handles, 0);
  EXPECT_EQ(second.handles, 1);
}

TEST_F(PlacedBlocksTest, AMovePointsTheStorageThereAndGivesTheSourceBack) {
  FakeStorage storage;
  Block* block = Make(&storage, kPage);
  const int64_t changes = blocks_.change_count();
  MoveTo(block, 1);
  EXPECT_EQ(block->place.tier, 1);
  EXPECT_EQ(storage.address, blocks_.AddressOf(block->place));
  EXPECT_EQ(UsedBytes(0), 0);
  EXPECT_GT(blocks_.change_count(), changes);
}

TEST_F(PlacedBlocksTest, AStorageThatIsDyingKeepsItsPlace) {
  FakeStorage storage;
  Block* block = Make(&storage, kPage);
  const Place place = block->place;
  const Place room = blocks_.TakeRoom(1, block).value();
  storage.Kill();
  EXPECT_FALSE(blocks_.SetPlace(block, room));
  EXPECT_EQ(block->place, place);
  EXPECT_EQ(UsedBytes(1), 0);
}

TEST_F(PlacedBlocksTest, AKeptCopyIsReturnedToWithoutAnyRoomBeingTaken) {
  FakeStorage storage;
  Block* block = Make(&storage, kPage, /*tier=*/1);
  const Place source = block->place;
  MoveTo(block, 0, /*keeps_source=*/true);
  EXPECT_EQ(block->kept, source);
  EXPECT_EQ(UsedBytes(1), kPage);
  EXPECT_TRUE(blocks_.ReturnToKept(block));
  EXPECT_EQ(block->place, source);
  EXPECT_EQ(storage.address, blocks_.AddressOf(source));
  EXPECT_EQ(UsedBytes(0), 0);
  EXPECT_FALSE(blocks_.ReturnToKept(block));
}

TEST_F(PlacedBlocksTest, AKeptCopyIsGivenUpIfTheBlockChangedUnseen) {
  FakeStorage storage;
  Block* block = Make(&storage, kPage, /*tier=*/1);
  MoveTo(block, 0, /*keeps_source=*/true);
  *storage.address.load() = 1;
  EXPECT_FALSE(blocks_.ReturnToKept(block));
  EXPECT_EQ(block->place.tier, 0);
  EXPECT_EQ(UsedBytes(1), 0);
  EXPECT_EQ(blocks_.unseen_writes().count, 1);
  EXPECT_EQ(blocks_.unseen_writes().size_bytes, kPage);
}

TEST_F(PlacedBlocksTest, AKeptCopyIsGivenUpByAWriteAndByAnyOtherMove) {
  FakeStorage storage;
  Block* block = Make(&storage, kPage, /*tier=*/1);
  MoveTo(block, 0, /*keeps_source=*/true);
  blocks_.NoteWrite({block, session::kOperandRead});
  EXPECT_TRUE(block->kept.has_value());
  blocks_.NoteWrite({block, session::kOperandWrite});
  EXPECT_FALSE(block->kept.has_value());
  EXPECT_EQ(UsedBytes(1), 0);

  MoveTo(block, 1);
  MoveTo(block, 0, /*keeps_source=*/true);
  MoveTo(block, 2);
  EXPECT_FALSE(block->kept.has_value());
  EXPECT_EQ(UsedBytes(1), 0);
}

TEST_F(PlacedBlocksTest, AMoveUnderWayKeepsNoSourceThatIsWrittenMeanwhile) {
  FakeStorage storage;
  Block* block = Make(&storage, kPage, /*tier=*/1);
  block->move = {.to = blocks_.TakeRoom(0, block).value(), .keeps = true};
  blocks_.NoteWrite({block, session::kOperandWrite});
  EXPECT_FALSE(block->move->keeps);
}

TEST_F(PlacedBlocksTest, GivingUpAllKeptCopiesSaysWhetherThereWereAny) {
  FakeStorage first, second;
  MoveTo(Make(&first, kPage, /*tier=*/1), 0, /*keeps_source=*/true);
  MoveTo(Make(&second, kPage, /*tier=*/2), 0);
  EXPECT_TRUE(blocks_.GiveUpAllKept());
  EXPECT_EQ(UsedBytes(1), 0);
  EXPECT_FALSE(blocks_.GiveUpAllKept());
}

TEST_F(PlacedBlocksTest, ADeadBlockHoldsNothing) {
  FakeStorage storage;
  Block* block = Make(&storage, kPage, /*tier=*/1);
  MoveTo(block, 0, /*keeps_source=*/true);
  blocks_.MarkPinned(block);
  EXPECT_EQ(blocks_.pinned_bytes(), kPage);
  blocks_.Remove(block);
  EXPECT_EQ(UsedBytes(0) + UsedBytes(1), 0);
  EXPECT_EQ(storage.handles, 0);
  EXPECT_EQ(blocks_.tensor_bytes(), 0);
  EXPECT_EQ(blocks_.pinned_bytes(), 0);
  EXPECT_TRUE(blocks_.all().empty());
}

// The address sanitizer would see it otherwise.
TEST_F(PlacedBlocksTest, ABlockThatDiesInUseIsThereUntilItsKernelEnds) {
  FakeStorage storage;
  Block* block = Make(&storage, kPage);
  blocks_.BeginUse(block);
  blocks_.BeginUse(block);
  blocks_.Remove(block);
  EXPECT_TRUE(block->dead);
  blocks_.EndUse(block);
  EXPECT_EQ(block->users, 1);
  blocks_.EndUse(block);
}

TEST_F(PlacedBlocksTest, BlocksThatWaitForTheirDeathComeOutOneByOne) {
  FakeStorage first, second;
  Block* blocks[] = {Make(&first, kPage), Make(&second, kPage)};
  for (Block* block : blocks) blocks_.Defer(block);
  EXPECT_EQ(blocks_.TakeDeferred(), blocks[1]);
  EXPECT_EQ(blocks_.TakeDeferred(), blocks[0]);
  EXPECT_EQ(blocks_.TakeDeferred(), nullptr);
}

TEST_F(PlacedBlocksTest, WhatIsUsedPinnedMovingOrKnownOutsideDoesNotMove) {
  FakeStorage storage;
  Block* block = Make(&storage, kPage);
  EXPECT_TRUE(blocks_.Movable(*block));
  blocks_.BeginUse(block);
  EXPECT_FALSE(blocks_.Movable(*block));
  EXPECT_TRUE(blocks_.CanMove(*block));
  blocks_.EndUse(block);
  block->move = MoveUnderWay{};
  EXPECT_FALSE(blocks_.CanMove(*block));
  block->move.reset();
  storage.movable = false;
  EXPECT_FALSE(blocks_.CanMove(*block));
  EXPECT_TRUE(blocks_.StorageStays(*block));
  storage.movable = true;
  blocks_.MarkPinned(block);
  EXPECT_FALSE(blocks_.CanMove(*block));
}

TEST_F(PlacedBlocksTest, RoomNearIsThereOrAnywhereInTheSameTier) {
  Block first{.size_bytes = kPage}, second{.size_bytes = kPage};
  const Place wish{1, 3 * kPage};
  EXPECT_EQ(blocks_.TakeRoomNear(wish, &first), wish);
  const std::optional<Place> other = blocks_.TakeRoomNear(wish, &second);
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->tier, 1);
  EXPECT_NE(*other, wish);
}

TEST_F(PlacedBlocksTest, SlowRoomIsThatOfTheFirstTierThatHasAny) {
  Block large{.size_bytes = 7 * kPage}, more{.size_bytes = 7 * kPage};
  EXPECT_EQ(blocks_.TakeSlowRoom(&large)->tier, 1);
  EXPECT_EQ(blocks_.TakeSlowRoom(&more)->tier, 2);
  Block last{.size_bytes = 7 * kPage};
  EXPECT_FALSE(blocks_.TakeSlowRoom(&last).has_value());
}

TEST_F(PlacedBlocksTest, PeaksCountRoomOfMovesAndUnmanagedBytes) {
  FakeStorage storage;
  Block* block = Make(&storage, kPage, /*tier=*/1);
  blocks_.CountUnmanaged(100);
  MoveTo(block, 0);
  blocks_.CountUnmanaged(-100);
  MoveTo(block, 1);
  EXPECT_EQ(blocks_.peaks().fast_bytes, kPage + 100);
  EXPECT_EQ(blocks_.peaks().tensor_bytes, kPage + 100);
  blocks_.BeginStep();
  EXPECT_EQ(blocks_.peaks().fast_bytes, 0);
  EXPECT_EQ(blocks_.peaks().tensor_bytes, kPage);
  EXPECT_EQ(blocks_.unmanaged_peak_bytes(), 100);
}

TEST_F(PlacedBlocksTest, BlocksRememberTheKernelThatUsedThemLast) {
  FakeStorage storage;
  Block* block = Make(&storage, kPage);
  blocks_.AdvanceClock();
  blocks_.AdvanceClock();
  EXPECT_EQ(block->last_use, 0);
  blocks_.BeginUse(block);
  EXPECT_EQ(block->last_use, 2);
  blocks_.EndUse(block);
}

}  // namespace
}  // namespace stowage::runtime
