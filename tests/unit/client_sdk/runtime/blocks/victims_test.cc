#include "client_sdk/runtime/blocks/victims.h"

#include <algorithm>
#include <limits>
#include <list>
#include <random>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kNow = 100;

bool Anything(const Block&) { return true; }

// Has an arena filled from its beginning.
class VictimsTest : public testing::Test {
 protected:
  Block* Add(int64_t pages, int64_t last_use) {
    Block& block = blocks_.emplace_back();
    block.size_bytes = pages * kPage;
    block.last_use = last_use;
    EXPECT_TRUE(arena_.AllocateAt(end_, &block));
    end_ += block.size_bytes;
    return &block;
  }
  void AddHole(int64_t pages) { end_ += pages * kPage; }
  void Seal() { arena_.SetCapacity(end_); }

  std::list<Block> blocks_;
  Arena arena_{1024 * kPage};
  int64_t end_ = 0;
};

TEST_F(VictimsTest, TakesTheOldestOfEqualBlocks) {
  Add(4, 90);
  Block* oldest = Add(4, 10);
  Add(4, 50);
  Seal();
  const auto victims = ChooseVictims(arena_, 4 * kPage, kNow, Anything);
  ASSERT_TRUE(victims.has_value());
  EXPECT_THAT(victims->blocks, ElementsAre(oldest));
  EXPECT_EQ(victims->offset_bytes, 4 * kPage);
}

TEST_F(VictimsTest, TakesNeighboursSoThatTheRoomIsContiguous) {
  Add(2, 99);
  Block* first = Add(2, 20);
  Block* second = Add(2, 20);
  Add(2, 99);
  Add(2, 1);  // older, but its neighbour was used just now
  Seal();
  const auto victims = ChooseVictims(arena_, 4 * kPage, kNow, Anything);
  ASSERT_TRUE(victims.has_value());
  EXPECT_THAT(victims->blocks, ElementsAre(first, second));
  EXPECT_EQ(victims->offset_bytes, 2 * kPage);
}

TEST_F(VictimsTest, UsesFreeExtentsBesideABlock) {
  Add(4, 10);
  AddHole(3);
  Block* beside = Add(1, 10);
  Seal();
  const auto victims = ChooseVictims(arena_, 4 * kPage, kNow, Anything);
  ASSERT_TRUE(victims.has_value());
  EXPECT_THAT(victims->blocks, ElementsAre(beside));
  EXPECT_EQ(victims->offset_bytes, 4 * kPage);
}

TEST_F(VictimsTest, EvictsNothingWhereTheRoomIsFree) {
  Add(1, 10);
  AddHole(4);
  Seal();
  const auto victims = ChooseVictims(arena_, 4 * kPage, kNow, Anything);
  ASSERT_TRUE(victims.has_value());
  EXPECT_THAT(victims->blocks, IsEmpty());
}

TEST_F(VictimsTest, DoesNotReachAcrossABlockThatMustStay) {
  Add(2, 10);
  const Block* stays = Add(1, 1);
  Add(2, 10);
  Seal();
  const auto movable = [&](const Block& block) { return &block != stays; };
  EXPECT_EQ(ChooseVictims(arena_, 3 * kPage, kNow, movable), std::nullopt);
  const auto victims = ChooseVictims(arena_, 2 * kPage, kNow, movable);
  ASSERT_TRUE(victims.has_value());
  EXPECT_EQ(victims->blocks.size(), 1);
}

TEST_F(VictimsTest, DoesNotCountRoomBeyondTheCapacity) {
  Add(2, 10);
  Add(2, 10);
  arena_.SetCapacity(3 * kPage);
  EXPECT_EQ(ChooseVictims(arena_, 4 * kPage, kNow, Anything), std::nullopt);
}

TEST_F(VictimsTest, TheLowestRunIsTakenHoweverRecentlyItWasUsed) {
  Add(1, 10);
  const Block* stays = Add(1, 10);
  Block* recent = Add(2, 99);
  AddHole(1);
  Add(4, 1);
  Seal();
  const auto movable = [&](const Block& block) { return &block != stays; };
  const auto victims = LowestVictims(arena_, 3 * kPage, movable);
  ASSERT_TRUE(victims.has_value());
  EXPECT_THAT(victims->blocks, ElementsAre(recent));
  EXPECT_EQ(victims->offset_bytes, 2 * kPage);
}

TEST_F(VictimsTest, ThereIsNoLowestRunAcrossABlockThatMustStay) {
  Add(2, 10);
  const Block* stays = Add(1, 1);
  Add(2, 10);
  Seal();
  const auto movable = [&](const Block& block) { return &block != stays; };
  EXPECT_EQ(LowestVictims(arena_, 3 * kPage, movable), std::nullopt);
}

// Returns the cost that victims.h states, for comparison.
double Cost(const Block& block) {
  return block.size_bytes / (1.0 + (kNow - block.last_use));
}

class VictimsRandomTest : public VictimsTest,
                          public testing::WithParamInterface<int> {};

TEST_P(VictimsRandomTest, CostsNoMoreThanAnyOtherRun) {
  std::mt19937 random(GetParam());
  std::set<const Block*> immovable;
  for (int i = 0; i < 40; ++i) {
    if (random() % 4 == 0) AddHole(1 + random() % 3);
    const Block* block = Add(1 + random() % 5, random() % kNow);
    if (random() % 8 == 0) immovable.insert(block);
  }
  Seal();
  const int64_t room_bytes = (4 + random() % 12) * kPage;

  double least = std::numeric_limits<double>::infinity();
  for (int64_t begin = 0; begin + room_bytes <= end_; begin += kPage) {
    double cost = 0;
    for (const auto& [offset, extent] : arena_.used()) {
      const bool outside =
          offset + extent.size_bytes <= begin || offset >= begin + room_bytes;
      if (outside) continue;
      cost += immovable.contains(extent.block)
                  ? std::numeric_limits<double>::infinity()
                  : Cost(*extent.block);
    }
    least = std::min(least, cost);
  }

  const auto victims = ChooseVictims(
      arena_, room_bytes, kNow,
      [&](const Block& block) { return !immovable.contains(&block); });
  ASSERT_EQ(victims.has_value(), least < 1e300);
  if (!victims.has_value()) return;
  double cost = 0;
  for (const Block* block : victims->blocks) {
    EXPECT_FALSE(immovable.contains(block));
    cost += Cost(*block);
  }
  EXPECT_NEAR(cost, least, 1e-6 * least);
  // With the victims gone, the room is there.
  Block newcomer{.size_bytes = room_bytes};
  std::vector<int64_t> offsets;
  for (const auto& [offset, extent] : arena_.used()) {
    for (const Block* block : victims->blocks) {
      if (extent.block == block) offsets.push_back(offset);
    }
  }
  for (int64_t offset : offsets) arena_.Free(offset);
  EXPECT_TRUE(arena_.AllocateAt(victims->offset_bytes, &newcomer));
}

INSTANTIATE_TEST_SUITE_P(Seeds, VictimsRandomTest, testing::Range(1, 31));

}  // namespace
}  // namespace stowage::runtime
