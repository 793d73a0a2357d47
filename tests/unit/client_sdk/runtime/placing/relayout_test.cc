#include "client_sdk/runtime/placing/relayout.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/placed_memory.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kPages = 16;

class RelayoutTest : public testing::Test {
 protected:
  // Makes a block behind the others, each page of which holds another value.
  Block* Make(int64_t pages) {
    Block* block = memory_.Make(&storages_[count_], pages * kPage, /*value=*/0);
    for (int64_t page = 0; page < pages; ++page) {
      memory_.blocks.AddressOf(block->place)[page * kPage] = Value(page);
    }
    ++count_;
    return block;
  }
  void Make(const std::vector<PlanTarget>& targets) {
    Relayout(&memory_.blocks, &memory_.mover, &memory_.evictor).Make(targets);
  }
  static PlanTarget To(Block* block, int64_t page) {
    return {block, {session::kFastTier, page * kPage}};
  }
  static int64_t PageOf(const Block* block) {
    EXPECT_EQ(block->place.tier, session::kFastTier);
    return block->place.offset_bytes / kPage;
  }
  // Returns whether the block, wherever it is, has the values that it was made
  // with, and the storage points to it.
  bool IsWhole(const Block& block) {
    std::vector<char> memory(block.room_bytes() + kPage);
    char* pages = memory.data() + kPage -
                  reinterpret_cast<uintptr_t>(memory.data()) % kPage;
    EXPECT_EQ(memory_.mover.Read(block, pages), 0);
    for (int64_t page = 0; page < block.size_bytes / kPage; ++page) {
      if (pages[page * kPage] != Value(page)) return false;
    }
    return static_cast<FakeStorage*>(block.storage)->address ==
           memory_.blocks.AddressOf(block.place);
  }
  int64_t PeakPages() { return memory_.blocks.peaks().fast_bytes / kPage; }

  PlacedMemory memory_{{.fast_bytes = kPages * kPage}};

 private:
  static char Value(int64_t page) { return static_cast<char>('a' + page); }

  std::array<FakeStorage, kPages> storages_;
  int count_ = 0;
};

TEST_F(RelayoutTest, ATensorShiftsByLessThanItsSize) {
  Block* block = Make(8);
  Make({To(block, 3)});
  EXPECT_EQ(PageOf(block), 3);
  EXPECT_TRUE(IsWhole(*block));
  Make({To(block, 1)});
  EXPECT_EQ(PageOf(block), 1);
  EXPECT_TRUE(IsWhole(*block));
  EXPECT_EQ(PeakPages(), 8);
}

TEST_F(RelayoutTest, TensorsMakeWayForOneAnother) {
  Block* first = Make(4);
  Block* second = Make(4);
  Block* third = Make(4);
  Make({To(first, 4), To(second, 8), To(third, 12)});
  EXPECT_EQ(PageOf(first), 4);
  EXPECT_EQ(PageOf(second), 8);
  EXPECT_EQ(PageOf(third), 12);
  for (const Block* block : {first, second, third}) {
    EXPECT_TRUE(IsWhole(*block));
  }
}

TEST_F(RelayoutTest, TwoTensorsChangePlacesByWayOfAHole) {
  Block* large = Make(10);
  Block* small = Make(3);
  Make({To(large, 3), To(small, 0)});
  EXPECT_EQ(PageOf(large), 3);
  EXPECT_EQ(PageOf(small), 0);
  EXPECT_TRUE(IsWhole(*large));
  EXPECT_TRUE(IsWhole(*small));
}

TEST_F(RelayoutTest, WhereThereIsNoHoleTheSmallestOfARingLeaves) {
  Block* large = Make(10);
  Block* small = Make(6);
  Make({To(large, 6), To(small, 0)});
  EXPECT_EQ(PageOf(large), 6);
  EXPECT_EQ(small->place.tier, 1);
  EXPECT_TRUE(IsWhole(*large));
  EXPECT_TRUE(IsWhole(*small));
}

TEST_F(RelayoutTest, OthersLeaveThePlace) {
  Block* block = Make(4);
  Block* other = Make(4);
  Make({To(block, 2)});
  EXPECT_EQ(PageOf(block), 2);
  EXPECT_EQ(other->place.tier, 1);
  EXPECT_TRUE(IsWhole(*block));
  EXPECT_TRUE(IsWhole(*other));
}

TEST_F(RelayoutTest, ATensorLeavesWhereItsPlaceIsHeldForGoodOrDoesNotExist) {
  Block* block = Make(4);
  Block* beyond = Make(4);
  Block* pinned = Make(2);
  memory_.blocks.MarkPinned(pinned);
  Make({To(block, 9), To(beyond, 13)});
  EXPECT_EQ(block->place.tier, 1);
  EXPECT_EQ(beyond->place.tier, 1);
  EXPECT_EQ(PageOf(pinned), 8);
  EXPECT_TRUE(IsWhole(*block));
  EXPECT_TRUE(IsWhole(*beyond));
}

TEST_F(RelayoutTest, ACopyThatIsKeptInTheSlowTierStaysOne) {
  Block* block = Make(4);
  block->kept = memory_.Room(1, block);
  const Place kept = *block->kept;
  Make({To(block, 2)});
  EXPECT_EQ(block->kept, kept);
}

TEST_F(RelayoutTest, AStorageThatDiesKeepsItsPlace) {
  Block* block = Make(4);
  static_cast<FakeStorage*>(block->storage)->Kill();
  EXPECT_FALSE(memory_.blocks.Shift(block, {session::kFastTier, 2 * kPage}));
  EXPECT_EQ(PageOf(block), 0);
  EXPECT_EQ(memory_.UsedBytes(session::kFastTier), 4 * kPage);
}

TEST_F(RelayoutTest, ABlockBeyondTheCapacityKeepsItsPlace) {
  Make(2);
  Block* block = Make(4);
  memory_.blocks.SetFastCapacity(5 * kPage);
  EXPECT_FALSE(memory_.blocks.Shift(block, {session::kFastTier, kPage}));
  EXPECT_EQ(PageOf(block), 2);
  EXPECT_EQ(memory_.UsedBytes(session::kFastTier), 6 * kPage);
  EXPECT_TRUE(IsWhole(*block));
}

TEST_F(RelayoutTest, AnyLayoutBecomesAnyOther) {
  std::mt19937 random(1);
  std::vector<Block*> blocks;
  for (int i = 0; i < 7; ++i) blocks.push_back(Make(1 + i % 3));
  int in_place = 0;
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    std::shuffle(blocks.begin(), blocks.end(), random);
    auto page = static_cast<int64_t>(random() % 3);
    std::vector<PlanTarget> targets;
    for (Block* block : blocks) {
      targets.push_back(To(block, page));
      page += block->size_bytes / kPage;
    }
    Make(targets);
    for (const auto& [block, place] : targets) {
      in_place += block->place == place;
      EXPECT_TRUE(IsWhole(*block));
      if (block->place == place) continue;
      ASSERT_EQ(block->place.tier, 1);
      ASSERT_TRUE(memory_.evictor.TakeFastRoomAt(place, block));
      ASSERT_EQ(memory_.mover.MoveNow(block, place), 0);
    }
  }
  EXPECT_GT(in_place, kRounds * 6);
}

}  // namespace
}  // namespace stowage::runtime
