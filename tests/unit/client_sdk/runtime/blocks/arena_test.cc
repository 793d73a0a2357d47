#include "client_sdk/runtime/blocks/arena.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::Pair;

Block OfPages(int64_t pages) { return {.size_bytes = pages * kPage}; }

TEST(ArenaTest, TakesTheSmallestFreeExtentThatFits) {
  Arena arena(10 * kPage);
  Block wide = OfPages(4), wall = OfPages(1), narrow = OfPages(2);
  Block end = OfPages(3), small = OfPages(2);
  ASSERT_TRUE(arena.AllocateAt(0, &wide));
  ASSERT_TRUE(arena.AllocateAt(4 * kPage, &wall));
  ASSERT_TRUE(arena.AllocateAt(5 * kPage, &narrow));
  ASSERT_TRUE(arena.AllocateAt(7 * kPage, &end));
  arena.Free(0);
  arena.Free(5 * kPage);

  EXPECT_THAT(arena.Allocate(&small), Optional(5 * kPage));
}

TEST(ArenaTest, RoundsBlocksUpToPages) {
  Arena arena(2 * kPage);
  Block first{.size_bytes = 1}, second{.size_bytes = kPage};
  EXPECT_THAT(arena.Allocate(&first), Optional(0));
  EXPECT_THAT(arena.Allocate(&second), Optional(kPage));
  EXPECT_EQ(arena.used_bytes(), 2 * kPage);
}

TEST(ArenaTest, RefusesWhatNoFreeExtentHolds) {
  Arena arena(4 * kPage);
  Block middle = OfPages(2), large = OfPages(2);
  ASSERT_TRUE(arena.AllocateAt(kPage, &middle));
  EXPECT_EQ(arena.Allocate(&large), std::nullopt);
}

TEST(ArenaTest, AllocatesAtAnOffsetOnlyWhereEveryByteIsFree) {
  Arena arena(8 * kPage);
  Block taken = OfPages(2), block = OfPages(3);
  ASSERT_TRUE(arena.AllocateAt(3 * kPage, &taken));

  EXPECT_FALSE(arena.AllocateAt(-kPage, &block));
  EXPECT_FALSE(arena.AllocateAt(kPage, &block));      // its end is taken
  EXPECT_FALSE(arena.AllocateAt(4 * kPage, &block));  // its begin is taken
  EXPECT_FALSE(arena.AllocateAt(6 * kPage, &block));  // past the end
  EXPECT_TRUE(arena.AllocateAt(5 * kPage, &block));
  EXPECT_TRUE(arena.AllocateAt(0, &block));
}

TEST(ArenaTest, MergesFreedExtentsWithBothNeighbours) {
  Arena arena(6 * kPage);
  Block first = OfPages(2), second = OfPages(2), third = OfPages(2);
  ASSERT_TRUE(arena.Allocate(&first));
  ASSERT_TRUE(arena.Allocate(&second));
  ASSERT_TRUE(arena.Allocate(&third));
  arena.Free(0);
  arena.Free(4 * kPage);
  arena.Free(2 * kPage);
  EXPECT_THAT(arena.free(), ElementsAre(Pair(0, 6 * kPage)));
  EXPECT_EQ(arena.used_bytes(), 0);
}

TEST(ArenaTest, FindsABlockByAnyOfItsBytes) {
  Arena arena(8 * kPage);
  Block block = OfPages(2);
  ASSERT_TRUE(arena.AllocateAt(2 * kPage, &block));
  EXPECT_EQ(arena.Find(2 * kPage - 1), nullptr);
  EXPECT_EQ(arena.Find(2 * kPage), &block);
  EXPECT_EQ(arena.Find(4 * kPage - 1), &block);
  EXPECT_EQ(arena.Find(4 * kPage), nullptr);
}

TEST(ArenaTest, KeepsBlocksBeyondASmallerCapacityUntilTheyAreFreed) {
  Arena arena(8 * kPage);
  Block low = OfPages(2), across = OfPages(3), high = OfPages(2);
  ASSERT_TRUE(arena.AllocateAt(0, &low));
  ASSERT_TRUE(arena.AllocateAt(3 * kPage, &across));
  ASSERT_TRUE(arena.AllocateAt(6 * kPage, &high));

  arena.SetCapacity(4 * kPage);
  EXPECT_EQ(arena.Find(7 * kPage), &high);
  EXPECT_THAT(arena.free(), ElementsAre(Pair(2 * kPage, kPage)));

  arena.Free(6 * kPage);
  EXPECT_THAT(arena.free(), ElementsAre(Pair(2 * kPage, kPage)));
  arena.Free(3 * kPage);  // only the part below the capacity is free again
  EXPECT_THAT(arena.free(), ElementsAre(Pair(2 * kPage, 2 * kPage)));
}

TEST(ArenaTest, HandsOutTheRoomOfALargerCapacity) {
  Arena arena(2 * kPage);
  Block first = OfPages(2), second = OfPages(3);
  ASSERT_TRUE(arena.Allocate(&first));
  arena.SetCapacity(5 * kPage);
  EXPECT_THAT(arena.Allocate(&second), Optional(2 * kPage));
  EXPECT_THAT(arena.free(), IsEmpty());
}

// Keeps a page map of the same arena.
class PageMap {
 public:
  explicit PageMap(int64_t pages) : taken_(pages, false) {}

  bool Free(int64_t first, int64_t pages) const {
    if (first < 0 || first + pages > capacity()) return false;
    return std::none_of(taken_.begin() + first, taken_.begin() + first + pages,
                        [](bool taken) { return taken; });
  }
  void Set(int64_t first, int64_t pages, bool taken) {
    std::fill_n(taken_.begin() + first, pages, taken);
  }
  // Returns free runs, by offset in bytes.
  std::map<int64_t, int64_t> FreeExtents() const {
    std::map<int64_t, int64_t> extents;
    for (int64_t begin = 0; begin < capacity();) {
      int64_t end = begin;
      while (end < capacity() && taken_[end] == taken_[begin]) ++end;
      if (!taken_[begin]) extents[begin * kPage] = (end - begin) * kPage;
      begin = end;
    }
    return extents;
  }
  int64_t capacity() const { return capacity_; }
  void set_capacity(int64_t pages) { capacity_ = pages; }

 private:
  std::vector<bool> taken_;
  int64_t capacity_ = static_cast<int64_t>(taken_.size());
};

class ArenaRandomTest : public testing::TestWithParam<int> {};

TEST_P(ArenaRandomTest, AgreesWithAPageMap) {
  constexpr int64_t kPages = 64;
  std::mt19937 random(GetParam());
  Arena arena(kPages * kPage);
  PageMap map(kPages);
  std::map<int64_t, std::unique_ptr<Block>> live;  // by offset
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  for (int i = 0; i < 3000; ++i) {
    auto block = std::make_unique<Block>(OfPages(1 + below(9)));
    const int64_t pages = block->size_bytes / kPage;
    const auto take = [&](int64_t offset) {
      map.Set(offset / kPage, pages, true);
      live[offset] = std::move(block);
    };
    switch (below(8)) {
      case 0:
      case 1:
      case 2: {
        int64_t best = kPages + 1;
        for (const auto& [offset, size] : map.FreeExtents()) {
          if (size >= pages * kPage) best = std::min(best, size / kPage);
        }
        const auto extents = map.FreeExtents();
        const std::optional<int64_t> offset = arena.Allocate(block.get());
        ASSERT_EQ(offset.has_value(), best <= kPages);
        if (!offset.has_value()) break;
        ASSERT_EQ(extents.at(*offset), best * kPage);
        take(*offset);
        break;
      }
      case 3: {
        const int64_t first = below(kPages + 4) - 2;
        const bool expected = map.Free(first, pages);
        ASSERT_EQ(arena.AllocateAt(first * kPage, block.get()), expected);
        if (expected) take(first * kPage);
        break;
      }
      case 4:
        map.set_capacity(kPages / 2 + below(kPages / 2 + 1));
        arena.SetCapacity(map.capacity() * kPage);
        break;
      default: {
        if (live.empty()) break;
        auto victim = std::next(live.begin(), below(live.size()));
        arena.Free(victim->first);
        map.Set(victim->first / kPage, victim->second->size_bytes / kPage,
                false);
        live.erase(victim);
      }
    }
    ASSERT_EQ(arena.free(), map.FreeExtents()) << "after operation " << i;
    int64_t used_bytes = 0;
    for (const auto& [offset, owner] : live) {
      used_bytes += owner->size_bytes;
      ASSERT_EQ(arena.Find(offset + owner->size_bytes - 1), owner.get());
    }
    ASSERT_EQ(arena.used_bytes(), used_bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ArenaRandomTest, testing::Range(1, 6));

}  // namespace
}  // namespace stowage::runtime
